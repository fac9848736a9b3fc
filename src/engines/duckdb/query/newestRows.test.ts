import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileStored } from '../../../googlesql/compile.ts';
import type { StoredEvent } from '../../../ports/eventLog.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { never, TestStorage } from '../storage.fixture.ts';
import { DuckDbQueryEngine } from './duckdbQueryEngine.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const startMicros = Date.UTC(2026, 4, 1) * 1000;

type Event = Pick<StoredEvent, 'id' | 'timestampMicros' | 'project' | 'eventMessage'> & { readonly source: string };

/** Times in random order, many of them repeated; a text that occurs in one event of four hundred. */
const events: readonly Event[] = Array.from({ length: 6000 }, (_, n) => ({
  id: `e${String(n).padStart(5, '0')}`,
  timestampMicros: startMicros + ((n * 7919) % 2500) * 1_000_000,
  project: n % 3 === 0 ? 'q' : 'p',
  eventMessage: n % 400 === 7 ? 'rare' : `message ${n % 10}`,
  source: n % 5 === 0 ? 'rest_api_logs' : 'pooler_logs',
}));

const hotOf = (source: string) => (sources.get(source)?.hotColumns ?? []).map(() => null);

describe('the newest rows', () => {
  let test: TestStorage;
  let engine: DuckDbQueryEngine;
  let searches = 0;
  let reads = 0;
  beforeAll(async () => {
    test = await TestStorage.open();
    for (let from = 0; from < events.length; from += 1500) {
      const part = events.slice(from, from + 1500);
      for (const source of ['rest_api_logs', 'pooler_logs']) {
        const stored = part
          .filter((event) => event.source === source)
          .map((event) => ({ ...event, metadata: '{}', hot: hotOf(source), irregular: [] }));
        await test.storage.log.append({ source, events: stored, identity: null });
      }
      if (from < 4500) await test.storage.sealNow();
    }
    const runner = test.storage.statements;
    const counting: typeof runner = {
      ...runner,
      boundTo: (projects) => {
        const bound = runner.boundTo(projects);
        return {
          ...bound,
          runNewest: async (...args) => {
            searches += 1;
            return await bound.runNewest(...args);
          },
          runRows: async (...args) => {
            reads += 1;
            return await bound.runRows(...args);
          },
        };
      },
    };
    engine = new DuckDbQueryEngine(test.storage.files, counting);
  });
  afterAll(async () => {
    await test.close();
  });

  async function idsOf(sql: string, rowsMax?: number): Promise<{ ids: readonly string[]; hasMore: boolean }> {
    const query = compileStored(sql, { sources, parameters: new Map() });
    const bounds = { rowsMax: Math.min(rowsMax ?? 1000, query.outerLimit ?? 1000), bytesMax: 2 ** 20 };
    const request = { query, parameters: new Map(), projects: null, redaction: null, nowMicros: 0, ...bounds } as const;
    searches = 0;
    reads = 0;
    const result = await engine.run({ ...request, profile: 'plain' }, never);
    const rows = JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as { id: string }[];
    return { ids: rows.map(({ id }) => id), hasMore: result.hasMore };
  }

  /** Worked out without the engine: newest first, equal times by id, the greatest first. */
  const expected = (isWanted: (event: Event) => boolean, count: number, offset = 0) =>
    events
      .filter(isWanted)
      .toSorted((a, b) => b.timestampMicros - a.timestampMicros || (a.id < b.id ? 1 : -1))
      .slice(offset, offset + count)
      .map(({ id }) => id);

  const order = 'order by timestamp desc, id desc';

  /** Project p has so many events that a cutoff is searched first, q so few that rows are read at once. */
  const projects = ['p', 'q'];
  const cases = (counts: readonly number[]) => projects.flatMap((project) => counts.map((n) => [n, project] as const));

  it.each(cases([1, 2, 3, 10, 100]))(
    'are the newest %d of project %s, ties in the order of the next key',
    async (count, project) => {
      const sql = `select id, metadata from sources.pooler_logs where project = '${project}' ${order} limit ${count}`;
      const { ids, hasMore } = await idsOf(sql);
      expect(ids).toEqual(expected((event) => event.project === project && event.source === 'pooler_logs', count));
      expect(hasMore).toBe(true);
      expect({ searches, reads }).toEqual(project === 'p' ? { searches: 1, reads: 0 } : { searches: 0, reads: 1 });
    },
  );

  it.each(cases([1, 10, 100]))('are read at once without their metadata: %d of project %s', async (count, project) => {
    const { ids } = await idsOf(
      `select id from sources.pooler_logs where project = '${project}' ${order} limit ${count}`,
    );
    expect(ids).toEqual(expected((event) => event.project === project && event.source === 'pooler_logs', count));
    expect({ searches, reads }).toEqual({ searches: 0, reads: 1 });
  });

  it.each(cases([1, 2, 5, 20]))('are found however rare they are: %d of project %s', async (count, project) => {
    const sql = `select id, metadata from sources.pooler_logs where project = '${project}' and event_message = 'rare' ${order} limit ${count}`;
    const isRare = (event: Event) =>
      event.project === project && event.source === 'pooler_logs' && event.eventMessage === 'rare';
    expect((await idsOf(sql)).ids).toEqual(expected(isRare, count));
    expect(searches).toBe(project === 'p' ? 1 : 0);
    if (count === 1) expect(reads).toBeGreaterThan(project === 'p' ? 0 : 1);
  });

  it('are none where none is wanted, and fewer than asked for where there are fewer', async () => {
    expect(await idsOf(`select id from sources.pooler_logs where event_message = 'none' ${order} limit 1`)).toEqual({
      ids: [],
      hasMore: false,
    });
    expect(await idsOf(`select id from sources.pooler_logs where project = 'absent' ${order} limit 1`)).toEqual({
      ids: [],
      hasMore: false,
    });
  });

  it.each([
    [1, 1],
    [3, 0],
    [5, 40],
  ])('of a union are those of all its tables: %d after %d', async (count, offset) => {
    const arms = `select id, timestamp, metadata from sources.pooler_logs where project = 'p' and event_message != 'message 3'
      union all select id, timestamp, metadata from sources.rest_api_logs where project = 'p'`;
    const isWanted = (event: Event) =>
      event.project === 'p' && (event.source === 'rest_api_logs' || event.eventMessage !== 'message 3');
    const { ids } = await idsOf(`${arms} ${order} limit ${count} offset ${offset}`, 50);
    expect(ids).toEqual(expected(isWanted, count, offset));
  });

  it('keep to the times of each table of a union, also where others reach further back', async () => {
    const since = startMicros + 2_450_000_000;
    const arms = `select id, timestamp, metadata from sources.pooler_logs where project = 'p' and timestamp >= '${new Date(since / 1000).toISOString()}'
      union all select id, timestamp, metadata from sources.rest_api_logs where project = 'p'`;
    const isWanted = (event: Event) =>
      event.project === 'p' && (event.source === 'rest_api_logs' || event.timestampMicros >= since);
    const { ids } = await idsOf(`${arms} ${order} limit 200`);
    expect(ids).toEqual(expected(isWanted, 200));
    expect(searches).toBe(1);
  });

  it('keep to times that the query names', async () => {
    const until = startMicros + 900_000_000;
    const since = until - 300_000_000;
    const at = (micros: number) => `timestamp '${new Date(micros / 1000).toISOString()}'`;
    const sql = `select id, metadata from sources.pooler_logs where timestamp < ${at(until)} and timestamp >= ${at(since)} and event_message = 'message 1' ${order}`;
    const isWanted = (event: Event) =>
      event.source === 'pooler_logs' &&
      event.eventMessage === 'message 1' &&
      event.timestampMicros < until &&
      event.timestampMicros >= since;
    expect((await idsOf(`${sql} limit 4`)).ids).toEqual(expected(isWanted, 4));
    expect((await idsOf(`${sql} limit 400`)).ids).toEqual(expected(isWanted, 400));
  });

  it('are not looked for where a sort key looks at other events', async () => {
    const sql = `select id from sources.pooler_logs order by timestamp desc, (select count(*) from sources.rest_api_logs), id desc limit 2`;
    expect((await idsOf(sql)).ids).toEqual(expected((event) => event.source === 'pooler_logs', 2));
    expect({ searches, reads }).toEqual({ searches: 0, reads: 1 });
  });
});
