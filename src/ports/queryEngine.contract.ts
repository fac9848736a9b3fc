import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { compileStored } from '../googlesql/compile.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { EventBatch, EventLog, StoredEvent } from './eventLog.ts';
import type { QueryEngine, RunRequest } from './queryEngine.ts';

/** An engine under test, with the log whose events it reads. */
export interface QueryEngineHarness {
  readonly engine: QueryEngine;
  readonly log: EventLog;
  /** Moves what is stored to wherever the adapter keeps older events. */
  age(): Promise<void>;
  close(): Promise<void>;
}

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const never = new AbortController().signal;
const startMicros = Date.UTC(2026, 4, 1) * 1000;

const event = (project: string, n: number): StoredEvent => ({
  id: `${project}-${n}`,
  timestampMicros: startMicros + n * 1_000_000,
  project,
  eventMessage: `message ${n}`,
  metadata: `{"host":"h${n}"}`,
  hot: [true],
  irregular: [],
});

const batch = (project: string, from: number, to: number): EventBatch => ({
  source: 'rest_api_logs',
  events: Array.from({ length: to - from }, (_, i) => event(project, from + i)),
  identity: null,
});

/** What every QueryEngine must do. `open` gives an engine over an empty log with all built-in sources. */
export function queryEngineContract(name: string, open: () => Promise<QueryEngineHarness>): void {
  describe(`${name} as a query engine`, () => {
    let harness: QueryEngineHarness;
    beforeAll(async () => {
      harness = await open();
      await harness.log.append(batch('large', 0, 400));
      await harness.age();
      await harness.log.append(batch('large', 400, 600));
      await harness.log.append(batch('small', 0, 3));
      await harness.age();
      await harness.log.append(batch('large', 600, 650));
      // An event that arrives late, with a time among the oldest.
      await harness.log.append({ ...batch('large', 0, 0), events: [{ ...event('large', 7), id: 'late' }] });
    });
    afterAll(async () => {
      await harness.close();
    });

    function request(sql: string, changes: Partial<RunRequest> = {}): RunRequest {
      const query = compileStored(sql, { sources, parameters: new Map([['project', 'string']]) });
      return {
        query,
        parameters: new Map([['project', { kind: 'string', value: 'large' }]]),
        projects: null,
        redaction: null,
        nowMicros: startMicros,
        rowsMax: query.outerLimit ?? 1000,
        bytesMax: 2 ** 24,
        profile: 'plain',
        ...changes,
      };
    }

    async function rows(sql: string, changes: Partial<RunRequest> = {}): Promise<readonly Record<string, unknown>[]> {
      const result = await harness.engine.run(request(sql, changes), never);
      const parsed = JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as Record<string, unknown>[];
      expect(parsed).toHaveLength(result.rowCount);
      return parsed;
    }

    const newest = 'select id from sources.rest_api_logs where project = @project order by timestamp desc, id desc';

    it('reads every event once, wherever it lies', async () => {
      expect(await rows('select count(*) as n, count(distinct id) as ids from sources.rest_api_logs')).toEqual([
        { n: 654, ids: 654 },
      ]);
    });

    it('gives the newest rows across all files, in order', async () => {
      const ids = Array.from({ length: 120 }, (_, i) => ({ id: `large-${649 - i}` }));
      expect(await rows(`${newest} limit 120`)).toEqual(ids);
    });

    it('finds an event that arrived late among the oldest', async () => {
      const oldest = (await rows(newest)).slice(-9).map((row) => row.id);
      expect(oldest).toEqual(['late', ...[7, 6, 5, 4, 3, 2, 1, 0].map((n) => `large-${n}`)]);
    });

    it.each([1, 3, 200, 649, 650, 651, 652])('gives the same newest %i rows as a full sort does', async (limit) => {
      const sorted = (await rows(`${newest} limit 1000 offset 0`)).slice(0, limit);
      expect(await rows(`${newest} limit ${limit}`)).toEqual(sorted);
      const filtered = newest.replace('order', "and event_message like '%7%' order");
      const all = await rows(`${filtered} limit 1000 offset 0`);
      expect(await rows(`${filtered} limit ${limit}`)).toEqual(all.slice(0, limit));
    });

    it('gives rows of the asked project only, and none for one that does not exist', async () => {
      const of = async (value: string) =>
        await rows(newest, { parameters: new Map([['project', { kind: 'string', value }]]) });
      expect(await of('small')).toEqual([{ id: 'small-2' }, { id: 'small-1' }, { id: 'small-0' }]);
      expect(await of('absent')).toEqual([]);
      expect(await of("large' or '1'='1")).toEqual([]);
      expect(await of('large\u0000')).toEqual([]);
    });

    it('says that there are more rows than asked for', async () => {
      expect(await harness.engine.run(request(newest, { rowsMax: 650 }), never)).toMatchObject({
        rowCount: 650,
        hasMore: true,
      });
      expect(await harness.engine.run(request(newest, { rowsMax: 651 }), never)).toMatchObject({
        rowCount: 651,
        hasMore: false,
      });
    });

    it('cuts between rows at the bound of bytes, and says so', async () => {
      const result = await harness.engine.run(request(newest, { bytesMax: 100 }), never);
      expect(result).toMatchObject({ cutByBytes: true });
      expect(result.rows.length).toBeLessThanOrEqual(100);
      expect(JSON.parse(`[${Buffer.from(result.rows).toString()}]`)).toHaveLength(result.rowCount);
    });

    it('counts rows after the project filter, and nothing where no project is named', async () => {
      const small = { parameters: new Map([['project', { kind: 'string', value: 'small' } as const]]) };
      expect((await harness.engine.run(request(newest, small), never)).rowsScanned).toBe(3);
      expect((await harness.engine.run(request('select 1 from sources.rest_api_logs'), never)).rowsScanned).toBeNull();
    });

    it('reads no event outside the projects of the request, whatever the query says', async () => {
      const few = { projects: ['small', 'absent'] };
      const all = 'select id from sources.rest_api_logs order by id';
      expect((await rows(all, few)).map(({ id }) => id)).toEqual(['small-0', 'small-1', 'small-2']);
      expect(await rows(newest, few)).toEqual([]);
      expect(await rows('select count(*) as n from sources.edge_logs', few)).toEqual([{ n: 0 }]);
      expect(
        await rows(
          'select max(a.id) as a, count(b.id) as b from sources.rest_api_logs a full join sources.rest_api_logs b on false',
          few,
        ),
      ).toEqual([{ a: 'small-2', b: 3 }]);
      const both = await harness.engine.run(request(all, { projects: ['large', 'small'] }), never);
      expect(both).toMatchObject({ rowCount: 654, rowsScanned: 654 });
      expect(await harness.engine.run(request(all, few), never)).toMatchObject({ rowCount: 3, rowsScanned: 3 });
      expect(await harness.engine.run(request(newest, few), never)).toMatchObject({ rowCount: 0, rowsScanned: 0 });
    });

    it('writes values in the asked profile', async () => {
      const sql = `${newest.replace('select id', 'select timestamp, metadata')} limit 1`;
      expect(await rows(sql)).toEqual([{ timestamp: '2026-05-01T00:10:49.000000Z', metadata: { host: 'h649' } }]);
      expect(await rows(sql, { profile: 'records' })).toEqual([
        { timestamp: startMicros + 649_000_000, metadata: [{ host: 'h649' }] },
      ]);
    });

    it('fails on data with the place in the text, and without the text of the engine', async () => {
      const failure = await harness.engine
        .run(request('select 1 / (length(id) - length(id)) from sources.rest_api_logs'), never)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ServiceError);
      expect(failure).toMatchObject({ code: 'sql.data', errors: [{ line: 1, column: expect.any(Number) }] });
      expect((failure as ServiceError).message).toMatch(/[^.] \(line 1, column \d+\)\.$/);
      expect((failure as ServiceError).message).not.toMatch(/duckdb|binder|invalid input|large-/i);
    });

    it('ends a run at the signal with its reason, and goes on answering', async () => {
      const endless =
        'select count(*) from unnest(generate_array(1, 90000)) a cross join unnest(generate_array(1, 90000)) b cross join unnest(generate_array(1, 90000)) c where mod(a * b * c, 7) = 3';
      const controller = new AbortController();
      const running = harness.engine.run(request(endless), controller.signal);
      await harness.engine.run(request('select 1'), never);
      controller.abort(new ServiceError('query.timeout', 'The query ran too long.'));
      await expect(running).rejects.toMatchObject({ code: 'query.timeout' });
      expect(await rows('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('explains without running', async () => {
      const { statement, plan } = await harness.engine.explain(request(newest), never);
      expect(statement).toMatch(/rest_api_logs/);
      expect(plan).toMatch(/rest_api_logs/);
    });
  });
}
