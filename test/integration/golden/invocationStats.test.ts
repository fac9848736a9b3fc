import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, day, floorTo, hour, iso, minute, second } from '../../support/instants.ts';
import { type Answer, allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';
import { type Invocation, invocationStats, type StatsInterval, statsIntervals } from './statsModel.ts';

const endpoint = 'functions.invocation-stats';
const now = at('2026-05-01T12:34:56.789Z') + 321;
const intervals = Object.keys(statsIntervals) as StatsInterval[];

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
});
afterAll(() => service.close());

// Past the cache: what is tested is the query, at a clock that is moved.
const call = (parameters: Record<string, string>) =>
  service.call(endpoint, parameters, { headers: { 'cache-control': 'no-cache' } });
const counts = ({ body }: Answer) => body.result.map((row) => [row.timestamp, row.count]);

function sent(project: string, { timestamp, functionId, ms, status }: Invocation, index: number): object {
  return {
    id: `${project}-${index}`,
    timestamp,
    event_message: '',
    metadata: {
      project_ref: project,
      ...(functionId === null ? {} : { function_id: functionId }),
      ...(ms === null ? {} : { execution_time_ms: ms }),
      ...(status === null ? {} : { response: { status_code: status } }),
    },
  };
}

const send = (project: string, invocations: readonly Invocation[]) =>
  service.send(
    'function_edge_logs',
    invocations.map((each, index) => sent(project, each, index)),
  );

const at200 = (timestamp: number, ms: number | null = 1): Invocation => ({
  timestamp,
  functionId: 'f',
  ms,
  status: 200,
});

const sizes = [
  ['5min', 301],
  ['15min', 16],
  ['1hr', 61],
  ['1day', 25],
  ['7day', 8],
] as const;

describe.each(sizes)('interval %s', (interval, candidates) => {
  const { span, bucket } = statsIntervals[interval];
  const first = floorTo(now - span, bucket);
  const last = floorTo(now, bucket);

  it(`has ${candidates} candidate buckets, which fill=zero shows with counts of 0 and nulls`, async () => {
    const { body } = await call({ interval, project: `nobody-${interval}`, fill: 'zero' });
    expect(body.result).toHaveLength(candidates);
    expect(body.result).toEqual(invocationStats([], interval, now, { fill: true }));
    expect([body.result[0]?.timestamp, body.result.at(-1)?.timestamp]).toEqual([iso(first), iso(last)]);
    expect(body.meta).toMatchObject({ row_count: candidates, truncated: false, notices: [] });
  });

  it('leaves buckets without records out by default', async () => {
    for (const fill of [{}, { fill: 'none' }, { fill: '' }]) {
      const { status, body } = await call({ interval, project: `nobody-${interval}`, ...fill });
      expect({ status, rows: body.result }).toEqual({ status: 200, rows: [] });
    }
  });

  it('counts from the truncated first bucket on to the end of the current one', async () => {
    const project = `edges-${interval}`;
    const invocations = [first - 1, first, first + 1, last - 1, last, last + bucket - 1, last + bucket].map((time) =>
      at200(time),
    );
    await send(project, invocations);
    const answer = await call({ interval, project });
    expect(answer.body.result).toEqual(invocationStats(invocations, interval, now));
    expect(counts(answer)).toEqual([
      [iso(first), 2],
      [iso(last - bucket), 1],
      [iso(last), 2],
    ]);
    const filled = await call({ interval, project, fill: 'zero' });
    expect(filled.body.result).toEqual(invocationStats(invocations, interval, now, { fill: true }));
  });

  it('puts a record at an inner edge into the bucket that begins there', async () => {
    const project = `inner-${interval}`;
    const edge = last - 3 * bucket;
    await send(project, [at200(edge - 1, 5), at200(edge, 7), at200(edge + 1, 9)]);
    const { body } = await call({ interval, project });
    expect(body.result.map((row) => [row.timestamp, row.count, row.max_execution_time])).toEqual([
      [iso(edge - bucket), 1, 5],
      [iso(edge), 2, 9],
    ]);
  });
});

describe('a bucket', () => {
  const bucketStart = floorTo(now, hour);
  const hourly = (project: string, more: Record<string, string> = {}) => call({ interval: '1day', project, ...more });

  it.each([1, 2, 19, 20, 21, 99, 100, 101, 137, 1000])(
    'of %i records has the exact ⌈k·n/100⌉-th smallest as its quantiles',
    async (n) => {
      const project = `quantiles-${n}`;
      // A permutation: arrival order must not matter.
      const invocations = Array.from({ length: n }, (_, i) => at200(bucketStart + i, ((i * 7919) % n) * 3 + 0.5));
      await send(project, invocations);
      const [row] = (await hourly(project)).body.result;
      expect(row).toEqual({
        ...invocationStats(invocations, '1day', now)[0],
        avg_execution_time: expect.closeTo(((n - 1) * 3) / 2 + 0.5, 9),
      });
      expect(row?.p95_execution_time).toBe((Math.ceil((95 * n) / 100) - 1) * 3 + 0.5);
      expect(row?.p99_execution_time).toBe((Math.ceil((99 * n) / 100) - 1) * 3 + 0.5);
    },
  );

  it('counts as errors what has a status of 400 or higher, 600 and text too, and nothing else', async () => {
    const project = 'errors';
    const statuses = [100, 200, 301, 399, 400, 404, 499, 500, 599, 600, 999, '500', '399', 'abc', null, 399.9];
    await service.send(
      'function_edge_logs',
      statuses.map((status_code, i) => ({
        id: `e${i}`,
        timestamp: bucketStart + i,
        metadata: { project_ref: project, response: { status_code } },
      })),
    );
    const { body } = await hourly(project);
    expect(body.result).toEqual([expect.objectContaining({ count: statuses.length, error_count: 8 })]);
  });

  it('counts records without a response, without an execution time, and with one that is no number', async () => {
    const project = 'odd';
    const metadata = [
      {},
      { execution_time_ms: 4 },
      { response: null },
      { response: {} },
      { response: 'broken' },
      { response: 500 },
      { response: [] },
      { request: 'broken' },
      { execution_time_ms: null },
      { execution_time_ms: 'slow' },
      { execution_time_ms: '6' },
      { execution_time_ms: { ms: 9 } },
      { execution_time_ms: [50] },
    ];
    await service.send(
      'function_edge_logs',
      metadata.map((more, i) => ({
        id: `o${i}`,
        timestamp: bucketStart + i,
        metadata: { project_ref: project, ...more },
      })),
    );
    const { body } = await hourly(project);
    expect(body.result).toEqual([
      expect.objectContaining({
        count: metadata.length,
        error_count: 0,
        min_execution_time: 4,
        avg_execution_time: 5,
        p95_execution_time: 6,
      }),
    ]);
  });

  it('ignores nulls in every aggregate, and is null throughout where all are null', async () => {
    await send('some-null', [at200(bucketStart, null), at200(bucketStart + 1, 10), at200(bucketStart + 2, null)]);
    expect((await hourly('some-null')).body.result).toEqual([
      {
        timestamp: iso(bucketStart),
        min_execution_time: 10,
        max_execution_time: 10,
        avg_execution_time: 10,
        p95_execution_time: 10,
        p99_execution_time: 10,
        count: 3,
        error_count: 0,
      },
    ]);
    await send('all-null', [at200(bucketStart, null), at200(bucketStart + 1, null)]);
    expect((await hourly('all-null')).body.result).toEqual([
      {
        timestamp: iso(bucketStart),
        min_execution_time: null,
        max_execution_time: null,
        avg_execution_time: null,
        p95_execution_time: null,
        p99_execution_time: null,
        count: 2,
        error_count: 0,
      },
    ]);
  });

  it('is of one function where function_id is given, matched exactly, and of all where it is empty', async () => {
    const project = 'by-function';
    await send(project, [
      { timestamp: bucketStart, functionId: 'a', ms: 1, status: 200 },
      { timestamp: bucketStart, functionId: 'a', ms: 3, status: 500 },
      { timestamp: bucketStart, functionId: 'A', ms: 5, status: 200 },
      { timestamp: bucketStart, functionId: null, ms: 7, status: 200 },
    ]);
    const summary = async (more: Record<string, string>) =>
      (await hourly(project, more)).body.result.map((row) => [row.count, row.max_execution_time, row.error_count]);
    expect(await summary({ function_id: 'a' })).toEqual([[2, 3, 1]]);
    expect(await summary({ function_id: 'A' })).toEqual([[1, 5, 0]]);
    expect(await summary({ function_id: 'b' })).toEqual([]);
    expect(await summary({ function_id: '' })).toEqual([[4, 7, 1]]);
    expect(await summary({})).toEqual([[4, 7, 1]]);
    expect(await summary({ function_id: 'a', fill: 'zero' })).toHaveLength(25);
  });

  it('is of the project that metadata.project_ref names, matched with case', async () => {
    await send('ref', [at200(bucketStart)]);
    await service.send('function_edge_logs', [
      { id: 'x', timestamp: bucketStart, project: 'ref', metadata: { project_ref: 'other-ref' } },
      { id: 'y', timestamp: bucketStart, project: 'ref', metadata: {} },
    ]);
    expect(counts(await hourly('ref'))).toEqual([[iso(bucketStart), 2]]);
    expect(counts(await hourly('other-ref'))).toEqual([[iso(bucketStart), 1]]);
    expect(counts(await hourly('REF'))).toEqual([]);
  });
});

describe('parameters', () => {
  it.each(['2hr', '1DAY', '5MIN', 'hourly', '1day ', '7days', "1day'--"])(
    'answers the interval %s as 1day, with a notice',
    async (interval) => {
      const project = 'fallback';
      const answer = await call({ interval, project, fill: 'zero' });
      expect(answer.body.result).toHaveLength(25);
      expect(answer.body.result).toEqual((await call({ interval: '1day', project, fill: 'zero' })).body.result);
      expect(answer.body.meta.notices).toEqual([expect.objectContaining({ parameter: 'interval' })]);
    },
  );

  it.each([
    [{ project: 'p' }, 'interval'],
    [{ project: 'p', interval: '' }, 'interval'],
    [{ interval: '1day' }, 'project'],
    [{ interval: '1day', project: '' }, 'project'],
  ])('refuses %o with 400 that names what is missing', async (parameters, missing) => {
    const { status, body } = await call(parameters as unknown as Record<string, string>);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'parameter.missing' });
    expect(body.errors).toEqual([expect.objectContaining({ parameter: missing })]);
  });

  it('refuses another fill with 400 that names the allowed', async () => {
    const { status, body } = await call({ interval: '1day', project: 'p', fill: 'null' });
    expect(status).toBe(400);
    expect(body.errors).toEqual([expect.objectContaining({ parameter: 'fill', allowed: ['none', 'zero'] })]);
  });
});

describe('the tables for a caller', () => {
  const bucketStart = floorTo(now, hour);
  const project = 'tables';
  beforeAll(() =>
    send(project, [
      ...[150, 201, 250, 302, 404, 500, 503, 600].map((status, i) => ({
        timestamp: bucketStart + i,
        functionId: 'f',
        ms: i,
        status,
      })),
      { timestamp: bucketStart - hour, functionId: 'f', ms: null, status: null },
    ]),
  );
  const own = async (sql: string, interval = '1day') => (await call({ interval, project, sql })).body;

  it('hold in arr one row with the array of bucket starts', async () => {
    for (const interval of intervals) {
      const starts = invocationStats([], interval, now, { fill: true }).map(({ timestamp }) => timestamp);
      const { result, meta } = await own('select * from arr', interval);
      expect(meta.columns).toEqual([{ name: 'd', type: 'ARRAY<TIMESTAMP>' }]);
      expect(result).toEqual([{ d: starts }]);
    }
  });

  it('hold in dates the bucket starts as rows', async () => {
    for (const interval of intervals) {
      const starts = invocationStats([], interval, now, { fill: true }).map(({ timestamp }) => ({ timestamp }));
      expect((await own('select * from dates order by timestamp', interval)).result).toEqual(starts);
    }
  });

  it('hold in agg the buckets with records, with counts by class of status', async () => {
    const { result, meta } = await own('select * from agg order by timestamp desc');
    expect(meta.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'timestamp TIMESTAMP',
      'min_execution_time FLOAT64',
      'max_execution_time FLOAT64',
      'avg_execution_time FLOAT64',
      'p95_execution_time FLOAT64',
      'p99_execution_time FLOAT64',
      'count INT64',
      'error_count INT64',
      'one_xx_status_code_count INT64',
      'two_xx_status_code_count INT64',
      'three_xx_status_code_count INT64',
      'four_xx_status_code_count INT64',
      'five_xx_status_code_count INT64',
    ]);
    expect(result).toEqual([
      {
        timestamp: iso(bucketStart),
        min_execution_time: 0,
        max_execution_time: 7,
        avg_execution_time: 3.5,
        p95_execution_time: 7,
        p99_execution_time: 7,
        count: 8,
        error_count: 4,
        one_xx_status_code_count: 1,
        two_xx_status_code_count: 2,
        three_xx_status_code_count: 1,
        four_xx_status_code_count: 1,
        five_xx_status_code_count: 2,
      },
      expect.objectContaining({ timestamp: iso(bucketStart - hour), count: 1, error_count: 0 }),
    ]);
  });

  it('can be joined with one another', async () => {
    const { result } = await own(
      'select d.timestamp, a.count from dates d left join agg a using (timestamp) where a.count > 1',
    );
    expect(result).toEqual([{ timestamp: iso(bucketStart), count: 8 }]);
  });

  it('are those three and no other', async () => {
    const refused = await own('select * from function_edge_logs');
    expect(refused.code).toBe('sandbox.table');
    expect(allowedNames(refused)).toEqual(['agg', 'arr', 'dates']);
  });
});

describe('the clock', () => {
  it('moves every window: the same records leave one by one', async () => {
    const project = 'moving';
    const invocations = [now - 6 * day, now - 20 * hour, now - 30 * minute, now - 2 * minute, now - 3 * second].map(
      (time, i) => at200(time, i),
    );
    await send(project, invocations);
    try {
      for (const later of [now, now + 10 * second, now + 4 * minute, now + hour, now + day, now + 9 * day]) {
        service.clock.setMicros(later);
        for (const interval of intervals) {
          const { body } = await call({ interval, project });
          expect({ later, interval, rows: body.result }).toEqual({
            later,
            interval,
            rows: invocationStats(invocations, interval, later),
          });
        }
      }
    } finally {
      service.clock.setMicros(now);
    }
  });
});
