import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, civil, day, floorTo, hour, minute } from '../../support/instants.ts';
import { type Answer, allowedNames, startWholeService, type WholeService } from '../../support/wholeService.ts';

const now = at('2026-05-01T12:34:56.789Z') + 321;

/** Window and size of a bucket (contract, section 2, "usage.api-counts"). */
const intervals = {
  minutely: { window: hour, bucket: minute },
  hourly: { window: hour, bucket: hour },
  daily: { window: 7 * day, bucket: day },
  '15min': { window: 15 * minute, bucket: minute },
  '30min': { window: 30 * minute, bucket: minute },
  '1hr': { window: hour, bucket: minute },
  '3hr': { window: 3 * hour, bucket: hour },
  '1day': { window: day, bucket: hour },
  '3day': { window: 3 * day, bucket: day },
  '7day': { window: 7 * day, bucket: day },
} as const;
type Interval = keyof typeof intervals;
const names = Object.keys(intervals) as Interval[];

interface Request {
  readonly timestamp: number;
  readonly path: string;
}

const areas = ['rest', 'storage', 'auth', 'realtime'] as const;

/** The answer in plain code, for requests that the pattern finds. */
function apiCounts(requests: readonly Request[], interval: Interval, nowMicros: number, fill = false) {
  const { window, bucket } = intervals[interval];
  const starts = new Set<number>();
  if (fill) for (let at = floorTo(nowMicros - window, bucket); at <= nowMicros; at += bucket) starts.add(at);
  const inside = requests.filter(({ timestamp }) => timestamp >= nowMicros - window);
  for (const { timestamp } of inside) starts.add(floorTo(timestamp, bucket));
  return [...starts]
    .sort((a, b) => a - b)
    .map((start) => {
      const own = inside.filter(({ timestamp }) => floorTo(timestamp, bucket) === start);
      const counts = areas.map((area) => [
        `total_${area}_requests`,
        own.filter(({ path }) => path.includes(`/${area}`)).length,
      ]);
      return { timestamp: civil(start), ...Object.fromEntries(counts) };
    });
}

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now });
});
afterAll(() => service.close());

// Past the cache: what is tested is the query, at a clock that is moved.
const call = (parameters: Record<string, string>) =>
  service.call('usage.api-counts', parameters, { headers: { 'cache-control': 'no-cache' } });
const totals = ({ body }: Answer) => body.result.map((row) => areas.map((area) => row[`total_${area}_requests`]));

/** Requests on a host of their own, so that its name is a pattern that finds them alone. */
const send = (host: string, requests: readonly Request[]) =>
  service.send(
    'edge_logs',
    requests.map(({ timestamp, path }, i) => ({
      id: `${host}-${i}`,
      timestamp,
      project: 'any',
      metadata: { request: { path, url: `https://${host}.example.co${path}` } },
    })),
  );

describe.each(names)('interval %s', (interval) => {
  const { window, bucket } = intervals[interval];

  it('counts from exactly now minus the window on, not aligned to a bucket', async () => {
    const host = `edge-${interval}`;
    const requests = [-1, 0, 1].map((offset) => ({ timestamp: now - window + offset, path: '/rest/v1' }));
    await send(host, requests);
    const { body } = await call({ interval, project: host });
    expect(body.result).toEqual(apiCounts(requests, interval, now));
    expect(body.result).toEqual([
      {
        timestamp: civil(floorTo(now - window, bucket)),
        total_rest_requests: 2,
        total_storage_requests: 0,
        total_auth_requests: 0,
        total_realtime_requests: 0,
      },
    ]);
  });

  it('puts requests at the edges of a bucket on the right side, in ascending buckets', async () => {
    const host = `inner-${interval}`;
    const edge = floorTo(now, bucket);
    const requests = [edge + 1, edge, edge - 1, now].map((timestamp) => ({ timestamp, path: '/auth/v1' }));
    await send(host, requests);
    const { body } = await call({ interval, project: host });
    expect(body.result).toEqual(apiCounts(requests, interval, now));
    // The hour before the current bucket's start lies within every window but none of the others.
    expect(body.result.map((row) => row.total_auth_requests)).toEqual([1, 3]);
  });

  it('fills with zeros from the bucket of the lower edge to the present one when asked', async () => {
    const host = `fill-${interval}`;
    const requests = [{ timestamp: now, path: '/storage/v1' }];
    await send(host, requests);
    const { body } = await call({ interval, project: host, fill: 'zero' });
    expect(body.result).toEqual(apiCounts(requests, interval, now, true));
    expect(body.result).toHaveLength((floorTo(now, bucket) - floorTo(now - window, bucket)) / bucket + 1);
    const empty = await call({ interval, project: `nobody-${interval}`, fill: 'zero' });
    expect(empty.body.result).toEqual(apiCounts([], interval, now, true));
  });

  it('answers no buckets where there are no requests', async () => {
    const { status, body } = await call({ interval, project: `nobody-${interval}` });
    expect({ status, rows: body.result }).toEqual({ status: 200, rows: [] });
  });

  it('shows requests dated in the future in buckets of their own', async () => {
    const host = `future-${interval}`;
    const requests = [now, now + 2 * bucket, now + 23 * hour]
      .filter((timestamp) => timestamp <= now + 23 * hour)
      .map((timestamp) => ({ timestamp, path: '/realtime/v1' }));
    await send(host, requests);
    for (const fill of [false, true]) {
      const { body } = await call({ interval, project: host, fill: fill ? 'zero' : 'none' });
      expect(body.result).toEqual(apiCounts(requests, interval, now, fill));
    }
  });
});

describe('areas', () => {
  const hourly = (project: string) => call({ interval: '1day', project });

  it('are found anywhere in the path, with case, and one request may count in several', async () => {
    const paths: readonly (readonly [string, readonly number[]])[] = [
      ['/rest/v1/todos', [1, 0, 0, 0]],
      ['/storage/v1/object', [0, 1, 0, 0]],
      ['/auth/v1/token', [0, 0, 1, 0]],
      ['/realtime/v1/websocket', [0, 0, 0, 1]],
      ['/x/rest', [1, 0, 0, 0]],
      ['/restaurant', [1, 0, 0, 0]],
      ['/rest/storage/auth/realtime', [1, 1, 1, 1]],
      ['/auth/rest', [1, 0, 1, 0]],
      ['/REST/v1', [0, 0, 0, 0]],
      ['rest/v1', [0, 0, 0, 0]],
      ['/rest_', [1, 0, 0, 0]],
      ['/functions/v1/x', [0, 0, 0, 0]],
      ['/', [0, 0, 0, 0]],
    ];
    for (const [index, [path, expected]] of paths.entries()) {
      await send(`path-${index}-x`, [{ timestamp: now, path }]);
      expect({ path, totals: totals(await hourly(`path-${index}-x`)) }).toEqual({ path, totals: [expected] });
    }
  });

  it('of a request that matches none still make its bucket appear, with zeros', async () => {
    await send('none-of-them', [{ timestamp: now - 2 * hour, path: '/graphql' }]);
    expect((await hourly('none-of-them')).body.result).toEqual([
      {
        timestamp: civil(floorTo(now - 2 * hour, hour)),
        total_rest_requests: 0,
        total_storage_requests: 0,
        total_auth_requests: 0,
        total_realtime_requests: 0,
      },
    ]);
  });

  it('are not counted for events without metadata, request or url', async () => {
    const url = 'https://partial.example.co/rest';
    const metadata = [
      undefined,
      {},
      { request: null },
      { request: {} },
      { request: { path: '/rest' } },
      { request: { path: '/rest', url: null } },
      { request: 'https://partial.example.co/rest' },
      { request: { path: '/rest', url } },
      { request: { url } },
    ];
    await service.send(
      'edge_logs',
      metadata.map((each, i) => ({
        id: `partial-${i}`,
        timestamp: now,
        event_message: url,
        project: 'partial',
        ...(each === undefined ? {} : { metadata: each }),
      })),
    );
    // The last one has a url but no path: it is a request, of no area.
    expect(totals(await hourly('partial'))).toEqual([[1, 0, 0, 0]]);
    const { body } = await call({
      interval: '1day',
      project: 'partial',
      sql: 'select sum(total_rest_requests) as n, count(*) as buckets from chart_counts',
    });
    expect(body.result).toEqual([{ n: 1, buckets: 1 }]);
  });
});

describe('project', () => {
  beforeAll(async () => {
    await send('Pattern-one', [{ timestamp: now, path: '/rest/aXb' }]);
    await send('pattern-two', [{ timestamp: now, path: '/rest/a.b' }]);
    await send('pattern-two', [{ timestamp: now, path: '/rest/a+b' }]);
  });
  const found = async (project: string) => {
    const { status, body } = await call({ interval: '1hr', project });
    expect(status).toBe(200);
    return body.result.reduce((sum, row) => sum + Number(row.total_rest_requests), 0);
  };

  it.each([
    ['attern-', 3],
    ['pattern-', 2],
    ['Pattern-', 1],
    ['(?i)pattern-', 3],
    ['^pattern', 0],
    ['^https://pattern', 2],
    ['[pP]attern-.*b$', 3],
    ['pattern-two.*a.b', 2],
    ['pattern-two.*a\\.b', 1],
    ['pattern-two.*a\\+b', 1],
    ['pattern-two.*a+b', 0],
    ['pattern-(one|two)', 2],
    ["pattern-two' or '1'='1", 0],
    ['pattern-two%', 0],
  ])('is the RE2 pattern %s, searched unanchored and with case: %i', async (pattern, expected) => {
    expect(await found(pattern)).toBe(expected);
  });

  it.each(['(', '[a', 'a**', '(?=x)', '\\1', 'a{1001}', '(?<n', '*', '\\'])(
    'refuses %s, which is no RE2 pattern, with 400',
    async (pattern) => {
      const { status, body } = await call({ interval: '1hr', project: pattern });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'parameter.invalid' });
      expect(body.errors).toEqual([expect.objectContaining({ parameter: 'project' })]);
    },
  );

  it('must not be empty or absent', async () => {
    for (const parameters of [{ interval: '1hr' }, { interval: '1hr', project: '' }]) {
      const { status, body } = await call(parameters);
      expect(status).toBe(400);
      expect(body.code).toMatch(/^parameter\.(missing|invalid)$/);
      expect(body.errors).toEqual([expect.objectContaining({ parameter: 'project' })]);
    }
  });
});

describe('interval', () => {
  it.each(['weekly', 'HOURLY', '5min', '', '1hour', 'hourly '])(
    'refuses %j and names what is allowed',
    async (interval) => {
      const { status, body } = await call({ project: 'x', ...(interval === '' ? {} : { interval }) });
      expect(status).toBe(400);
      expect(body.errors[0]).toMatchObject({ parameter: 'interval' });
      if (interval !== '') {
        expect(body.errors[0]?.allowed).toEqual(expect.arrayContaining(['minutely', 'hourly', 'daily']));
        for (const name of ['minutely', 'hourly', 'daily']) expect(body.error.message).toContain(name);
      }
    },
  );
});

describe('the tables for a caller', () => {
  const own = async (sql: string) => (await call({ interval: 'daily', project: 'caller-host', sql })).body;
  beforeAll(() => send('caller-host', [{ timestamp: now - 3 * day, path: '/rest/v1' }]));

  it('are dates, one row with the lower edge, and chart_counts', async () => {
    const dates = await own('select * from dates');
    expect(dates.meta.columns).toEqual([{ name: 'start', type: 'TIMESTAMP' }]);
    expect(dates.result).toEqual([{ start: `${civil(now - 7 * day)}.789321Z` }]);
    const { meta, result } = await own('select * from chart_counts');
    expect(meta.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'timestamp DATETIME',
      ...areas.map((area) => `total_${area}_requests INT64`),
    ]);
    expect(result).toEqual(apiCounts([{ timestamp: now - 3 * day, path: '/rest/v1' }], 'daily', now));
    expect(allowedNames(await own('select * from edge_logs'))).toEqual(['chart_counts', 'dates']);
  });
});

describe('the clock', () => {
  it('moves every window and bucket', async () => {
    const requests = [now - 6 * day, now - 2 * day, now - 5 * hour, now - 40 * minute, now - 10 * minute, now].map(
      (timestamp, i) => ({ timestamp, path: `/${areas[i % 4]}/v1` }),
    );
    await send('moving', requests);
    try {
      for (const later of [now, now + 7 * minute, now + hour, now + day, now + 5 * day]) {
        service.clock.setMicros(later);
        for (const interval of names) {
          const { body } = await call({ interval, project: 'moving' });
          expect({ later, interval, rows: body.result }).toEqual({
            later,
            interval,
            rows: apiCounts(requests, interval, later),
          });
        }
      }
    } finally {
      service.clock.setMicros(now);
    }
  });
});
