import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointDefinition } from '../../../src/endpoints/definition.ts';
import { SqlEndpointStore } from '../../../src/stores/sql/sqlEndpointStore.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { runCommandLine } from '../../support/commandLine.ts';
import { at } from '../../support/instants.ts';
import { type Answer, startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:00:00Z');
const countsId = '237f3997-c471-488d-af16-2dc9a4cda4a0';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
  await service.define({
    id: '00000000-0000-4000-8000-000000000001',
    name: 'cached.rows',
    query: `with edges as (select id, timestamp, project from sources.edge_logs where project = @project)
      select id from edges order by id`,
    parameters: { project: { type: 'string', required: true } },
    cache_seconds: 600,
    sandbox: true,
  });
  for (const [project, count] of [
    ['alpha', 3],
    ['beta', 5],
  ] as const)
    await service.send(
      'edge_logs',
      Array.from({ length: count }, (_, n) => edge(project, n)),
    );
});
afterAll(() => service.close());

let clockMicros = 0;
beforeEach(() => {
  // Far enough from the last test that nothing of it is in the cache still.
  clockMicros = service.clock.nowMicros() + 3600e6;
  service.clock.setMicros(clockMicros);
});

function edge(project: string, n: number) {
  const url = `https://${project}.example.com/rest/v1/${n}`;
  return { id: `${project}-${n}`, project, timestamp: now, metadata: { request: { url, path: '/rest/v1' } } };
}

const logmill = (...args: readonly string[]) => runCommandLine(service, args);

const outcomeOf = ({ text }: Answer) =>
  (JSON.parse(text) as { meta: { cache: { outcome: string } } }).meta.cache.outcome;
const idsOf = ({ body }: Answer) => body.result.map(({ id }) => id);

async function changeDefinition(id: string, change: (old: EndpointDefinition) => EndpointDefinition): Promise<void> {
  const database = await openDatabase(service.dataDir);
  try {
    const store = new SqlEndpointStore(database);
    const old = await store.findById(id);
    if (old === undefined) throw new Error(`there is no endpoint ${id}`);
    const {
      version: _version,
      primary: _primary,
      createdAtMicros: _created,
      updatedAtMicros: _updated,
      ...definition
    } = old;
    await store.change(change(definition), service.clock.nowMicros());
  } finally {
    await database.destroy();
  }
}

describe('cached results of a real engine', () => {
  it('are never shared between tokens of different projects, in whatever order they call', async () => {
    const [alpha, beta] = [await service.makeToken(['query'], ['alpha']), await service.makeToken(['query'], ['beta'])];
    const expected = { [alpha]: 3, [beta]: 5, [service.adminToken]: 8 };
    const sum = ({ body }: Answer) => body.result.reduce((all, row) => all + Number(row.total_rest_requests), 0);
    const outcomes: string[] = [];
    for (const token of [service.adminToken, alpha, beta, alpha, beta, service.adminToken]) {
      for (const sql of [{}, { sql: 'select sum(total_rest_requests) as total_rest_requests from chart_counts' }]) {
        const answer = await service.call(
          'usage.api-counts',
          { project: '.', interval: '7day', ...sql },
          {
            headers: { 'x-api-key': token },
          },
        );
        expect(sum(answer)).toBe(expected[token]);
        outcomes.push(outcomeOf(answer));
      }
    }
    expect(outcomes).toEqual([...Array.from({ length: 6 }, () => 'miss'), ...Array.from({ length: 6 }, () => 'hit')]);
  });

  it('show events that came later when they are run again, and not before', async () => {
    const ask = (headers: Readonly<Record<string, string>> = {}) =>
      service.call('cached.rows', { project: 'growing' }, { headers });
    expect(idsOf(await ask())).toEqual([]);
    await service.send('edge_logs', [edge('growing', 1)]);
    expect(idsOf(await ask())).toEqual([]);
    expect(idsOf(await ask({ 'cache-control': 'no-cache' }))).toEqual(['growing-1']);
    await service.send('edge_logs', [edge('growing', 2)]);
    service.clock.advanceMs(599_999);
    expect(idsOf(await ask())).toEqual(['growing-1']);
    service.clock.advanceMs(1);
    expect(idsOf(await ask())).toEqual(['growing-1', 'growing-2']);
  });

  it('are gone as soon as their definition is changed, also by another process', async () => {
    const ask = () => service.call('cached.rows', { project: 'alpha' });
    await ask();
    expect(outcomeOf(await ask())).toBe('hit');
    await changeDefinition('00000000-0000-4000-8000-000000000001', (old) => ({ ...old, maxRows: 2 }));
    service.clock.advanceMs(1000);
    const answer = await ask();
    expect([outcomeOf(answer), idsOf(answer)]).toEqual(['miss', ['alpha-0', 'alpha-1']]);
    expect(answer.body.meta).toMatchObject({ truncated: true, truncated_by: 'max_rows' });
    expect(service.observations).toContainEqual(
      expect.objectContaining({ kind: 'cache.evicted', reason: 'definition' }),
    );
  });

  it('are dropped by a purge over HTTP', async () => {
    const ask = () => service.call('usage.api-counts', { project: 'alpha', interval: '7day' });
    await ask();
    expect(outcomeOf(await ask())).toBe('hit');
    const purged = await fetch(`${service.url}/api/endpoints/${countsId}/purge`, {
      method: 'POST',
      headers: { 'x-api-key': service.adminToken },
    });
    expect(purged.status).toBe(200);
    expect(outcomeOf(await ask())).toBe('miss');
  });

  it('are dropped by logmill endpoints purge', async () => {
    const ask = () => service.call('usage.api-counts', { project: 'beta', interval: '7day' });
    await ask();
    const { code, out } = await logmill('endpoints', 'purge', countsId);
    expect([code, out]).toEqual([0, expect.stringMatching(/^Dropped \d+ cached results?\.\n$/)]);
    expect(outcomeOf(await ask())).toBe('miss');
    expect((await logmill('endpoints', 'purge', countsId, '--json')).out).toBe('{"purged":1}\n');
    // How many results others have had made is nothing for a token of one project.
    const manager = await service.makeToken(['manage'], ['alpha']);
    await ask();
    const told = await logmill('endpoints', 'purge', countsId, '--token', manager);
    expect([told.code, told.out]).toEqual([0, 'Dropped the cached results.\n']);
    expect(outcomeOf(await ask())).toBe('miss');
    expect((await logmill('endpoints', 'purge', countsId, '--token', manager, '--json')).out).toBe('{"purged":null}\n');
    const unknown = await logmill('endpoints', 'purge', 'nobody');
    expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('nobody')]);
  });

  it('have one entry for both values profiles where they are written alike, else one for each', async () => {
    const ask = (path: string, profile: string, interval: string) =>
      service.call(path, { project: 'alpha', interval }, { headers: { 'svc-endpoint-values': profile } });
    // usage.api-counts gives DATETIME and INT64, functions.invocation-stats a TIMESTAMP.
    await ask('usage.api-counts', 'plain', 'daily');
    expect(outcomeOf(await ask('usage.api-counts', 'records', 'daily'))).toBe('hit');
    await ask('functions.invocation-stats', 'plain', '7day');
    expect(outcomeOf(await ask('functions.invocation-stats', 'records', '7day'))).toBe('miss');
  });
});
