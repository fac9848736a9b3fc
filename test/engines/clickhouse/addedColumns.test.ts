import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../src/core/jsonValue.ts';
import { parseJson } from '../../../src/core/losslessJson.ts';
import type { ClickHouseStorage } from '../../../src/engines/clickhouse/openClickHouseStorage.ts';
import { compileStored } from '../../../src/googlesql/compile.ts';
import { hotCells } from '../../../src/ingest/hotCells.ts';
import type { StoredEvent } from '../../../src/ports/eventLog.ts';
import { builtinSources } from '../../../src/sources/builtin.ts';
import type { Source } from '../../../src/sources/source.ts';
import { hasClickHouse } from '../../clickhouse/startClickHouse.ts';
import { openTestQueries, sharedClickHouse } from './clickhouseEngine.ts';
import { startMicros, TestClickHouseStorage } from './testClickHouseStorage.ts';

const never = new AbortController().signal;

const current = builtinSources.find(({ name }) => name === 'edge_logs') as Source;
/** As a release knew it that had fewer typed columns. */
const earlier: Source = { ...current, hotColumns: current.hotColumns.slice(0, 3) };

const metadataOf = (n: number) => ({
  request: { method: n % 3 === 0 ? 'POST' : 'GET', path: `/p${n % 4}`, headers: { host: `h${n}` } },
  response: { status_code: n % 2 === 0 ? 500 : 200 },
});

const eventOf = (source: Source, n: number, given: unknown = metadataOf(n)): StoredEvent => {
  const metadata = JSON.stringify(given);
  const parsed = parseJson(metadata);
  const { values, irregular } = hotCells(isJsonObject(parsed) ? parsed : null, source.hotColumns);
  const timestampMicros = startMicros - 1_000_000 * n;
  return { id: `e${n}`, timestampMicros, project: 'p', eventMessage: `m${n}`, metadata, hot: values, irregular };
};

const sourceOf = { earlier, current };

async function rowsOf(
  { limits, queries }: ClickHouseStorage,
  source: Source,
  sql: string,
  redaction: string | null,
): Promise<unknown> {
  const query = compileStored(sql, { sources: new Map([[source.name, source]]), parameters: new Map(), limits });
  const bounds = { rowsMax: query.outerLimit ?? 1000, bytesMax: 2 ** 24 };
  const request = { query, parameters: new Map(), projects: ['p'], nowMicros: startMicros, profile: 'plain' } as const;
  const result = await queries.run({ ...request, ...bounds, redaction }, never);
  return JSON.parse(`[${Buffer.from(result.rows).toString()}]`);
}

const from =
  'sources.edge_logs t cross join unnest(t.metadata) m cross join unnest(m.request) request cross join unnest(m.response) response';

describe.skipIf(!hasClickHouse)('events in ClickHouse that were stored before a typed column was declared', () => {
  let test: TestClickHouseStorage;
  let nodes: Readonly<Record<'earlier' | 'current', ClickHouseStorage>>;
  const opened: ClickHouseStorage[] = [];
  beforeAll(async () => {
    test = await TestClickHouseStorage.create(await sharedClickHouse(), { settings: { freshMs: 0 } });
    const open = async (source: Source) => {
      const node = await test.another({
        sources: [source],
        openQueries: async (side) => await openTestQueries(side, test.removals, () => undefined, {}),
      });
      opened.push(node);
      return node;
    };
    const before = await open(earlier);
    await before.log.append({ source: 'edge_logs', events: events(earlier, 0, 12), identity: null });
    nodes = { earlier: before, current: await open(current) };
    await nodes.current.log.append({ source: 'edge_logs', events: events(current, 12, 20), identity: null });
    // A node of the earlier release still runs.
    await before.log.append({ source: 'edge_logs', events: events(earlier, 20, 30), identity: null });
  });
  afterAll(async () => {
    for (const node of opened) await node.close();
    await test.close();
  });

  const events = (source: Source, first: number, end: number) =>
    Array.from({ length: end - first }, (_, i) => eventOf(source, first + i));

  const all = Array.from({ length: 30 }, (_, n) => n);
  const failed = all.filter((n) => n % 2 === 0);

  describe.each(['current', 'earlier'] as const)('read by a node of the %s release', (of) => {
    it.each([
      [
        'filters and groups',
        `select request.path as path, count(*) as n, sum(response.status_code) as s from ${from} where response.status_code >= 500 and project = 'p' group by path order by path`,
        ['/p0', '/p2'].map((path) => {
          const those = failed.filter((n) => `/p${n % 4}` === path);
          return { path, n: those.length, s: 500 * those.length };
        }),
      ],
      [
        'the newest rows',
        `select t.id, request.path as path from ${from} where response.status_code = 500 and project = 'p' order by t.timestamp desc limit 8`,
        failed.slice(0, 8).map((n) => ({ id: `e${n}`, path: `/p${n % 4}` })),
      ],
      [
        'the newest rows of a query that ClickHouse does not filter',
        `select t.id from ${from} where upper(request.path) = '/P1' and project = 'p' order by t.timestamp desc limit 6`,
        all
          .filter((n) => n % 4 === 1)
          .slice(0, 6)
          .map((n) => ({ id: `e${n}` })),
      ],
      [
        'joins',
        `select a.id, b.method from (select t.id from ${from} where request.path = '/p3' and project = 'p') a join (select t.id, request.method from ${from} where project = 'p') b on a.id = b.id order by a.id`,
        all
          .filter((n) => n % 4 === 3)
          .map((n) => ({ id: `e${n}`, method: n % 3 === 0 ? 'POST' : 'GET' }))
          .sort((a, b) => (a.id < b.id ? -1 : 1)),
      ],
    ])('have all members in answers: %s', async (_, sql, expected) => {
      expect(await rowsOf(nodes[of], sourceOf[of], sql, null)).toEqual(expected);
      expect(await rowsOf(nodes[of], sourceOf[of], sql, nodes[of].barrier ?? null)).toEqual(expected);
    });
  });
});

describe.skipIf(!hasClickHouse)('an event in ClickHouse whose member is not what its typed column holds', () => {
  let test: TestClickHouseStorage;
  afterEach(async () => {
    await test.close();
  });

  it('is filtered and counted by its metadata', async () => {
    test = await TestClickHouseStorage.create(await sharedClickHouse(), {
      settings: { freshMs: 0 },
      openQueries: async (side) => await openTestQueries(side, test.removals, () => undefined, {}),
    });
    await test.start();
    const response = [{ status_code: 500 }, { status_code: 503 }, { status_code: 200 }];
    const events = [eventOf(current, 1), eventOf(current, 2), eventOf(current, 3, { ...metadataOf(3), response })];
    await test.storage.log.append({ source: 'edge_logs', events, identity: null });
    const sql = `select count(*) as n from ${from} where response.status_code >= 500 and project = 'p'`;
    expect(await rowsOf(test.storage, current, sql, null)).toEqual([{ n: 3 }]);
  });
});

describe.skipIf(!hasClickHouse)('the typed columns of a table in ClickHouse', () => {
  let test: TestClickHouseStorage;
  afterEach(async () => {
    await test.close();
  });

  it('are refused in another order, in which events would be read from the wrong ones', async () => {
    test = await TestClickHouseStorage.open(await sharedClickHouse(), { sources: [earlier] });
    const [first, ...others] = current.hotColumns;
    const hotColumns = [...(first === undefined ? [] : [first]), ...others.toReversed()];
    await expect(test.another({ sources: [{ ...current, hotColumns }] })).rejects.toThrow(
      /The table edge_logs of .* was not made by this version: its typed columns must be has_metadata, response_origin_time/,
    );
  });
});
