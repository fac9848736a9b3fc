import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../test/support/patience.ts';
import { ServiceError } from '../core/errors.ts';
import { compileStored } from '../googlesql/compile.ts';
import { readKeys } from '../googlesql/plan/pageKeys.ts';
import { type PageAsked, pagedQuery, pageQuery } from '../googlesql/plan/pageQuery.ts';
import { tailedQuery } from '../googlesql/plan/tailQuery.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { EventBatch, StoredEvent } from './eventLog.ts';
import type { RunRequest, RunTime } from './queryEngine.ts';
import type { EngineUnderTest, StorageHarness } from './storageHarness.contract.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const never = new AbortController().signal;

/** A RunTime that records its calls. */
function watchedTime() {
  const steps: string[] = [];
  const time: RunTime = {
    pause: () => void steps.push('pause'),
    resume: () => void steps.push('resume'),
    restart: () => void steps.push('restart'),
  };
  return { time, steps };
}
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

const email = 'jane.doe@example.com';
/** Takes longer than any engine may run. */
const endless =
  'select count(*) from unnest(generate_array(1, 90000)) a cross join unnest(generate_array(1, 90000)) b cross join unnest(generate_array(1, 90000)) c where mod(a * b * c, 7) = 3';

/** Requirements of every QueryEngine. */
export function queryEngineContract({ name, states, open }: EngineUnderTest): void {
  const left = [
    ...(states.crashes ? [] : ['ends']),
    ...(states.isDurable ? [] : ['restarts']),
    ...(states.barrier ? [] : ['redaction']),
    ...(states.pages ? [] : ['pages']),
    ...(states.tails ? [] : ['tails']),
    ...(states.isRowsScannedExact ? [] : ['exact numbers of rows']),
  ];
  describe(`${name} as a query engine${left.length === 0 ? '' : ` (without ${left.join(' and ')}, as it states)`}`, () => {
    let harness: StorageHarness;
    beforeAll(async () => {
      harness = await open({ memoryBytesMax: 192 * 2 ** 20 });
      await harness.seed('auth_logs', [
        { ...event('large', 1), id: 'mail', eventMessage: `signed in as ${email}`, metadata: `{"user":"${email}"}` },
      ]);
      await harness.engine.log.append(batch('large', 0, 400));
      await harness.age();
      await harness.engine.log.append(batch('large', 400, 600));
      await harness.engine.log.append(batch('small', 0, 3));
      await harness.age();
      await harness.engine.log.append(batch('large', 600, 650));
      // An event that arrives late, with a time among the oldest.
      await harness.engine.log.append({ ...batch('large', 0, 0), events: [{ ...event('large', 7), id: 'late' }] });
    });
    afterAll(async () => {
      await harness.close();
    });

    function request(sql: string, changes: Partial<RunRequest> = {}): RunRequest {
      const query = compileStored(sql, {
        sources,
        parameters: new Map([['project', 'string']]),
        limits: harness.engine.limits,
      });
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
      const result = await harness.engine.queries.run(request(sql, changes), never);
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

    it.runIf(states.pages)('gives pages of the events up to an arrival number', async () => {
      const whole = request(
        'select id from sources.rest_api_logs where project = @project order by mod(length(id), 3)',
      );
      const paged = pagedQuery(whole.query);
      if ('construct' in paged) throw new Error(paged.construct);
      // Without the event that arrived last.
      const arrivalMax = (harness.engine.lastArrival?.() ?? 0) - 1;
      const seen: unknown[] = [];
      let from: PageAsked['from'] = null;
      for (;;) {
        const query = pageQuery(paged, { arrivalMax, rowsMax: 140, offset: 0, from });
        const result = await harness.engine.queries.run({ ...whole, query, rowsMax: 140 }, never);
        seen.push(...(JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as { id: string }[]).map(({ id }) => id));
        if (!result.hasMore) break;
        from = { direction: 'next', includesRow: false, keys: readKeys(result.pageKeys?.[1] ?? '', paged.keys) ?? [] };
      }
      expect(seen).toHaveLength(650);
      expect(new Set(seen)).toEqual(new Set(Array.from({ length: 650 }, (_, n) => `large-${n}`)));
    });

    it.runIf(states.tails)('gives the rows of a range of arrival numbers, each with its number', async () => {
      const last = harness.engine.lastArrival?.() ?? 0;
      const whole = request('select id from sources.rest_api_logs where project = @project');
      const tailed = tailedQuery(whole.query);
      if ('construct' in tailed) throw new Error(tailed.construct);
      const run = async (after: number, to: number) => {
        const arrivals = { after, to };
        const asked = { ...whole, query: tailed.query, arrivals, hasRowKeys: true };
        const result = await harness.engine.queries.run(asked, never);
        const ids = (JSON.parse(`[${Buffer.from(result.rows).toString()}]`) as { id: string }[]).map(({ id }) => id);
        return { ids, numbers: result.rowKeys?.map((keys) => (JSON.parse(keys) as { k0: number }).k0) };
      };
      // The last batch, and the one before it, which is in another segment.
      expect(await run(last - 1, last)).toEqual({ ids: ['late'], numbers: [last] });
      expect(await run(last - 3, last - 1)).toEqual({
        ids: ['large-648', 'large-649'],
        numbers: [last - 2, last - 1],
      });
      const all = await run(0, last);
      expect(all.ids).toHaveLength(651);
      expect(all.numbers).toEqual(all.numbers?.toSorted((a, b) => a - b));
      expect(await run(last, last)).toEqual({ ids: [], numbers: [] });
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
      expect(await harness.engine.queries.run(request(newest, { rowsMax: 650 }), never)).toMatchObject({
        rowCount: 650,
        hasMore: true,
      });
      expect(await harness.engine.queries.run(request(newest, { rowsMax: 651 }), never)).toMatchObject({
        rowCount: 651,
        hasMore: false,
      });
    });

    it('cuts between rows at the bound of bytes, and says so', async () => {
      const result = await harness.engine.queries.run(request(newest, { bytesMax: 100 }), never);
      expect(result).toMatchObject({ cutByBytes: true });
      expect(result.rows.length).toBeLessThanOrEqual(100);
      expect(JSON.parse(`[${Buffer.from(result.rows).toString()}]`)).toHaveLength(result.rowCount);
    });

    it.skipIf(!states.isRowsScannedExact)(
      'counts rows after the project filter, and nothing where no project is named',
      async () => {
        const small = { parameters: new Map([['project', { kind: 'string', value: 'small' } as const]]) };
        expect((await harness.engine.queries.run(request(newest, small), never)).rowsScanned).toBe(3);
        expect(
          (await harness.engine.queries.run(request('select 1 from sources.rest_api_logs'), never)).rowsScanned,
        ).toBeNull();
      },
    );

    it('reads no event outside the projects of the request, whatever the query says', async () => {
      const few = { projects: ['small', 'absent'] };
      const all = 'select id from sources.rest_api_logs order by id';
      expect((await rows(all, few)).map(({ id }) => id)).toEqual(['small-0', 'small-1', 'small-2']);
      expect(await rows(newest, few)).toEqual([]);
      const none = await harness.engine.queries.run(request('select count(*) as n from sources.edge_logs', few), never);
      expect(JSON.parse(Buffer.from(none.rows).toString())).toEqual({ n: 0 });
      expect(none.rowsScanned).toBe(0);
      expect(
        await rows(
          'select max(a.id) as a, count(b.id) as b from sources.rest_api_logs a full join sources.rest_api_logs b on false',
          few,
        ),
      ).toEqual([{ a: 'small-2', b: 3 }]);
      const both = await harness.engine.queries.run(request(all, { projects: ['large', 'small'] }), never);
      expect(both).toMatchObject({ rowCount: 654, rowsScanned: 654 });
      expect(await harness.engine.queries.run(request(all, few), never)).toMatchObject({ rowCount: 3, rowsScanned: 3 });
      expect(await harness.engine.queries.run(request(newest, few), never)).toMatchObject({
        rowCount: 0,
        rowsScanned: 0,
      });
    });

    it('writes values in the asked profile', async () => {
      const sql = `${newest.replace('select id', 'select timestamp, metadata')} limit 1`;
      expect(await rows(sql)).toEqual([{ timestamp: '2026-05-01T00:10:49.000000Z', metadata: { host: 'h649' } }]);
      expect(await rows(sql, { profile: 'records' })).toEqual([
        { timestamp: startMicros + 649_000_000, metadata: [{ host: 'h649' }] },
      ]);
    });

    it('fails on data with the place in the text, and without the text of the engine', async () => {
      const failure = await harness.engine.queries
        .run(request('select 1 / (length(id) - length(id)) from sources.rest_api_logs'), never)
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(ServiceError);
      expect(failure).toMatchObject({ code: 'sql.data', errors: [{ line: 1, column: expect.any(Number) }] });
      expect((failure as ServiceError).message).toMatch(/[^.] \(line 1, column \d+\)\.$/);
      expect((failure as ServiceError).message).not.toMatch(/duckdb|binder|invalid input|large-/i);
    });

    it('ends a run at the signal with its reason, and goes on answering', async () => {
      const controller = new AbortController();
      const running = harness.engine.queries.run(request(endless), controller.signal);
      await harness.engine.queries.run(request('select 1'), never);
      controller.abort(new ServiceError('query.timeout', 'The query ran too long.'));
      await expect(running).rejects.toMatchObject({ code: 'query.timeout' });
      expect(await rows('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('ends within two seconds of the signal, whatever it takes, without harm to other runs', async () => {
      const controller = new AbortController();
      const ended = expect(harness.engine.queries.run(request(endless), controller.signal)).rejects.toMatchObject({
        code: 'query.timeout',
      });
      const beside = Array.from(
        { length: 3 },
        async () => await rows('select count(*) as n from sources.rest_api_logs'),
      );
      await harness.engine.queries.run(request('select 1'), never);
      const startedMs = performance.now();
      controller.abort(new ServiceError('query.timeout', 'The query ran too long.'));
      await ended;
      expect(performance.now() - startedMs).toBeLessThan(2_000 * patience());
      for (const answer of await Promise.all(beside)) expect(answer).toEqual([{ n: 654 }]);
    });

    it('does not begin a run whose signal is aborted', async () => {
      const ended = AbortSignal.abort(new ServiceError('query.timeout', 'The query ran too long.'));
      await expect(harness.engine.queries.run(request(newest), ended)).rejects.toMatchObject({ code: 'query.timeout' });
    });

    it('fails by name on what needs more memory than there is, and goes on answering', async () => {
      const large =
        "select string_agg(concat(cast(a as string), repeat('x', 100000)) order by mod(a * 7919, 90001)) as t from unnest(generate_array(1, 90000)) a";
      const failure = await harness.engine.queries.run(request(large), never).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'query.memory' });
      expect((failure as ServiceError).message).not.toMatch(/duckdb|failed to|MiB|GiB/i);
      expect(await rows('select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('lets the time of a run go on while it runs', async () => {
      const { time, steps } = watchedTime();
      await harness.engine.queries.run(request(newest), never, time);
      expect(steps.at(-1)).not.toBe('pause');
    });

    it.skipIf(!states.crashes)(
      'gives the rows of a run under which the engine ended, at no cost to its time',
      async () => {
        const { time, steps } = watchedTime();
        const running = harness.engine.queries.run(
          request(`${newest.replace('select id', 'select id, repeat(id, 1000) as text')} limit 600`, {
            bytesMax: 2 ** 28,
          }),
          never,
          time,
        );
        await harness.crash();
        expect((await running).rowCount).toBe(600);
        expect(steps.at(-1)).not.toBe('pause');
        expect(await rows('select count(*) as n from sources.rest_api_logs')).toEqual([{ n: 654 }]);
      },
    );

    it('shows nothing of other projects where planning forgets to hold a query to those of its call', async () => {
      for (const sql of [
        'select id from sources.rest_api_logs order by id',
        'select a.id from sources.rest_api_logs a left join sources.rest_api_logs b on a.id = b.id',
        'select (select max(id) from sources.rest_api_logs) as id',
        'select id from sources.rest_api_logs union all select id from sources.auth_logs',
      ]) {
        const held = request(sql, { projects: ['small'] });
        const outcome = await harness.runUnheld(held, never).then(
          ({ rows: bytes }) => Buffer.from(bytes).toString(),
          (error: unknown) => error,
        );
        if (typeof outcome === 'string') expect(outcome).not.toMatch(/large|late|mail/);
        else expect(outcome).toMatchObject({ code: 'engine.failed' });
      }
    });

    describe('with redaction', () => {
      const ofMail = 'select id, event_message, metadata.user as user from sources.auth_logs';
      const barrier = () => ({ redaction: harness.engine.barrier ?? 'none' });

      it.skipIf(!states.barrier)('shows a query redacted events only, whatever it does with them', async () => {
        expect(await rows(ofMail)).toEqual([{ id: 'mail', event_message: `signed in as ${email}`, user: email }]);
        const shown = JSON.stringify(await rows(ofMail, barrier()));
        expect(shown).toContain('signed in as');
        expect(shown).not.toMatch(/jane|doe|example/);
        expect(await rows(`${ofMail} where event_message like '%jane%'`, barrier())).toEqual([]);
        expect(await rows(`${ofMail} where metadata.user = '${email}'`, barrier())).toEqual([]);
        expect(
          await rows(`select count(*) as n from sources.auth_logs where strpos(event_message, 'doe') > 0`, barrier()),
        ).toEqual([{ n: 0 }]);
      });

      it('rejects a run that demands what the engine does not do', async () => {
        await expect(rows(ofMail, { redaction: 'another redactor' })).rejects.toThrow();
        if (!states.barrier) expect(harness.engine.barrier).toBeUndefined();
      });
    });

    it('plans the largest queries that it states', async () => {
      const { aggregateDepthMax, crossJoinedTablesMax, inSubqueriesMax, joinedTablesMax, subqueryDepthMax } =
        harness.engine.limits;
      const range = (count: number) => Array.from({ length: count }, (_, i) => i);
      const one = 'select 1 as x';
      const joined = range(joinedTablesMax).map((i) =>
        i === 0 ? `(${one}) t0` : `join (${one}) t${i} on t${i}.x = t0.x`,
      );
      const crossed = range(crossJoinedTablesMax).map((i) => `(${one}) t${i}`);
      const nested = range(subqueryDepthMax).reduce((below) => `(select ${below})`, '1');
      const tables = range(aggregateDepthMax).map((i) => `w${i + 1} as (select max(x) as x from w${i})`);
      for (const sql of [
        `select t0.x as one from ${joined.join(' ')}`,
        `select t0.x as one from ${crossed.join(', ')}`,
        `select ${nested} as one`,
        `select x as one from (${one}) where ${range(inSubqueriesMax)
          .map((i) => `x in (select ${i + 1} union all select 1)`)
          .join(' and ')}`,
        `with w0 as (${one}), ${tables.join(', ')} select x as one from w${aggregateDepthMax}`,
      ]) {
        expect(await rows(sql)).toEqual([{ one: 1 }]);
      }
    });

    it.skipIf(!states.isDurable)('gives the same rows after a restart', async () => {
      const before = await rows(newest);
      await harness.restart();
      expect(await rows(newest)).toEqual(before);
    });

    it('explains without running', async () => {
      const { statement, plan } = await harness.engine.queries.explain(request(newest), never);
      expect(statement).toMatch(/rest_api_logs/);
      expect(plan).toMatch(/rest_api_logs/);
    });
  });
}
