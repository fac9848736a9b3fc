import { expect, it } from 'vitest';
import { Turns } from '../../../core/concurrency/turns.ts';
import { compileStored } from '../../../googlesql/compile.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import type { EngineRunner } from '../../duckdb/query/statementRunner.ts';
import { ClickHouseQueryEngine } from './clickhouseQueryEngine.ts';
import type { Fetcher } from './fetcher.ts';

function runsNothing(): never {
  throw new Error('nothing runs');
}

it('tells its caller how long a run waited for its turns', async () => {
  const engine = new ClickHouseQueryEngine({
    fetcher: { place: { database: 'logmill', cluster: null } } as unknown as Fetcher,
    statements: { boundTo: () => runsNothing() } as unknown as EngineRunner,
    removals: new Removals(new RetentionRules({ days: 0, bySource: new Map() })),
    turns: new Turns(),
  });
  const sources = new Map(builtinSources.map((source) => [source.name, source]));
  const request = {
    query: compileStored('select id from sources.edge_logs', { sources, parameters: new Map() }),
    parameters: new Map(),
    projects: ['p'],
    redaction: null,
    nowMicros: 0,
    rowsMax: 10,
    bytesMax: 1_000,
    profile: 'plain' as const,
  };
  const waits: number[] = [];
  const caller = { owner: 't', waitedForTurn: (ms: number) => void waits.push(ms) };
  const run = engine.run(request, new AbortController().signal, undefined, caller);
  await expect(run).rejects.toThrow('nothing runs');
  // A new plan waits for a turn.
  expect(waits.length).toBeGreaterThan(0);
});
