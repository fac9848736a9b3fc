import { expect, test } from 'vitest';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { cachingEndpoint, tokenOf } from './cachedCalls.fixture.ts';
import { createExplainCall, type ExplainedToken } from './explainCall.ts';
import { StatementCache } from './statementCache.ts';

const token: ExplainedToken = { ...tokenOf('explained'), revokedAtMicros: null };

/** Notes whose work waits. */
class NotedTurns extends Turns {
  readonly owners: string[] = [];

  override next(owner = ''): Promise<void> {
    this.owners.push(owner);
    return super.next(owner);
  }
}

test('a long text is compiled in turns of whoever asks', async () => {
  const endpoint = cachingEndpoint();
  const compile = function* (): Generator<undefined, never> {
    yield;
    throw new ServiceError('lql.syntax', 'x');
  };
  const explain = createExplainCall(
    {
      endpoints: {
        findById: async () => undefined,
        findByName: async () => endpoint,
        findVersion: async () => undefined,
        list: async () => [endpoint],
        revision: () => endpoint,
      },
      sources: new Map(),
      statements: new StatementCache(
        { storedInSteps: compile, callerInSteps: compile, lqlInSteps: compile },
        { entriesMax: 1, bytesMax: 1 },
      ),
    },
    { queryTextBytesMax: 1000, parameterBytesMax: 1000, rate: null },
  );
  const turns = new NotedTurns();
  const call = { idOrName: endpoint.name, parameters: [], address: null, nowMicros: 0, turns: turns.of('manager') };
  expect(await explain(token, call)).toMatchObject({ outcome: 'refused', code: 'lql.syntax' });
  expect(turns.owners).toEqual(['manager']);
});
