import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logStreams } from '../../support/logStreams.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { DashboardClient, type Row } from './dashboardClient.ts';
import { apiReport, chartQuery, countQuery, previews } from './reports.ts';

const project = 'abcdefghijklmnopqrst';
const nowMs = Date.UTC(2026, 4, 1, 12, 30);
const hourMs = 3_600_000;
const minuteMs = 60_000;

interface Request {
  readonly id: string;
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly search: string | null;
  readonly status: number;
  readonly originMs: number;
  readonly sentBytes: number | null;
  readonly gotBytes: number;
}

const routes = [
  { method: 'GET', path: '/rest/v1/todos', search: '?select=*', status: 200, originMs: 20, share: 16 },
  { method: 'POST', path: '/auth/v1/token', search: '?grant_type=password', status: 400, originMs: 90, share: 8 },
  { method: 'GET', path: '/storage/v1/object/a.png', search: null, status: 200, originMs: 45, share: 4 },
  { method: 'GET', path: '/rest/v1/todos', search: '?select=*', status: 500, originMs: 300, share: 2 },
  { method: 'GET', path: '/realtime/v1/websocket', search: null, status: 101, originMs: 5, share: 1 },
] as const;
const turn = routes.flatMap(({ share, ...route }) => Array.from({ length: share }, () => route));

/** 310 requests of the last hours, newest first, several of them in one and the same millisecond. */
const requests: readonly Request[] = Array.from({ length: 310 }, (_, n) => {
  const route = turn[n % turn.length];
  if (route === undefined) throw new Error('there are no routes');
  const atMs = nowMs - 1000 - Math.floor(n / 4) * 97_003;
  return {
    ...route,
    id: `edge-${String(n).padStart(3, '0')}`,
    atMs,
    originMs: route.originMs + (n % 7),
    sentBytes: n % 5 === 0 ? null : n * 10,
    gotBytes: 1000 + n,
  };
});

function edgeEvent(
  { id, atMs, method, path, search, status, originMs, sentBytes, gotBytes }: Request,
  of = project,
): object {
  return {
    id,
    timestamp: atMs * 1000,
    project: of,
    event_message: `${method} | ${status} | ${path}`,
    metadata: {
      request: {
        method,
        path,
        ...(search === null ? {} : { search }),
        url: `https://${of}.example.co${path}${search ?? ''}`,
        headers: { user_agent: 'app/1', ...(sentBytes === null ? {} : { content_length: String(sentBytes) }) },
      },
      response: { status_code: status, origin_time: originMs, headers: { content_length: String(gotBytes) } },
    },
  };
}

const functionId = '0c9f3a52-6a3e-4c43-9f0e-6f1f8f0e2b11';
/** One event of each other stream; what a preview shows of it stands beside. */
const others: Readonly<Record<string, { readonly metadata: Readonly<Record<string, unknown>>; readonly shown: Row }>> =
  {
    database_logs: {
      metadata: { host: 'db-1', parsed: { error_severity: 'ERROR', query_id: -7_223_372_036_854_775_000 } },
      shown: { error_severity: 'ERROR' },
    },
    function_edge_logs: {
      metadata: {
        project_ref: project,
        function_id: functionId,
        execution_time_ms: 125,
        request: { method: 'POST' },
        response: { status_code: 503 },
      },
      shown: { status_code: 503, method: 'POST', function_id: functionId, execution_time_ms: 125 },
    },
    function_logs: {
      metadata: { project_ref: project, function_id: functionId, event_type: 'Log', level: 'warn' },
      shown: { event_type: 'Log', function_id: functionId, level: 'warn' },
    },
    auth_logs: {
      metadata: { level: 'info', status: 200, path: '/token', msg: 'request completed' },
      shown: { level: 'info', status: 200, path: '/token', msg: 'request completed', error: null },
    },
    realtime_logs: {
      metadata: { project, level: 'error', context: { vm: { node: 'a' } } },
      shown: { metadata: [{ project, level: 'error', context: [{ vm: [{ node: 'a' }] }] }] },
    },
    storage_logs: {
      metadata: { project, level: 'info', res: { statusCode: 200 } },
      shown: { metadata: [{ project, level: 'info', res: [{ statusCode: 200 }] }] },
    },
    rest_api_logs: { metadata: { host: 'h' }, shown: { metadata: [{ host: 'h' }] } },
    pooler_logs: {
      metadata: { project, type: 'single_tenant', context: { domain: ['a', 'b'] } },
      shown: { metadata: [{ project, type: 'single_tenant', context: [{ domain: ['a', 'b'] }] }] },
    },
  };

let service: WholeService;
let client: DashboardClient;
beforeAll(async () => {
  const queryToken = 'dashboard-reads-with-this-one-0123456789';
  const ingestToken = 'dashboard-sends-with-this-one-0123456789';
  service = await startWholeService({
    nowMicros: nowMs * 1000,
    settings: { values: 'records', queryToken, ingestToken },
  });
  client = new DashboardClient(service.url, queryToken, ingestToken, project);
  await client.send(
    'edge_logs',
    requests.map((request) => edgeEvent(request)),
  );
  // Another project's are in the same streams.
  await client.send(
    'edge_logs',
    requests.map((request) => edgeEvent(request, 'zyxwvutsrqponmlkjihg')),
  );
  for (const [source, { metadata }] of Object.entries(others)) {
    await client.send(source, [
      { id: `${source}-1`, timestamp: nowMs, project, event_message: `of ${source}`, metadata },
    ]);
  }
});
afterAll(async () => {
  await service.close();
});

const startOf = (ms: number, spanMs: number) => Math.floor(ms / spanMs) * spanMs;
const civil = (ms: number) => new Date(ms).toISOString().slice(0, 19);

function grouped<K>(of: readonly Request[], key: (request: Request) => K): ReadonlyMap<string, readonly Request[]> {
  const groups = new Map<string, Request[]>();
  for (const request of of) {
    const name = JSON.stringify(key(request));
    groups.set(name, [...(groups.get(name) ?? []), request]);
  }
  return groups;
}

/** What is told of the requests of each hour, oldest first. */
function byHour(of: readonly Request[], tell: (group: readonly Request[]) => Row): readonly Row[] {
  return [...grouped(of, ({ atMs }) => startOf(atMs, hourMs))]
    .map(([hour, group]) => ({ timestamp: civil(Number(hour)), ...tell(group) }))
    .toReversed();
}

function byRoute(of: readonly Request[], tell: (group: readonly Request[]) => Row): readonly Row[] {
  return [...grouped(of, ({ method, path, search, status }) => ({ path, method, search, status_code: status }))].map(
    ([route, group]) => ({ ...(JSON.parse(route) as Row), count: group.length, ...tell(group) }),
  );
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const mean = (group: readonly Request[]) => sum(group.map(({ originMs }) => originMs)) / group.length;
const descending = (member: string) => (a: Row, b: Row) => Number(b[member]) - Number(a[member]);
const failed = requests.filter(({ status }) => status >= 400);

/** Numbers that were summed in another order differ in their last digits. */
const rounded = (rows: readonly Row[]): readonly Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'number' ? Number(value.toPrecision(12)) : value,
      ]),
    ),
  );

describe('a dashboard with a base URL and two tokens', () => {
  it('gets the seven queries of a report at once, each with its own rows', async () => {
    const names = Object.keys(apiReport) as readonly (keyof typeof apiReport)[];
    const start = new Date(nowMs - 24 * hourMs).toISOString();
    const answers = await Promise.all(names.map((name) => client.logs({ sql: apiReport[name], start })));
    const rows = Object.fromEntries(names.map((name, i) => [name, rounded(answers[i] ?? [])]));
    const avg = (group: readonly Request[]) => ({ avg: mean(group) });
    expect(rows).toEqual({
      totalRequests: byHour(requests, (group) => ({ count: group.length })),
      topRoutes: byRoute(requests, () => ({})).toSorted(descending('count')),
      errorCounts: byHour(failed, (group) => ({ count: group.length })),
      topErrorRoutes: byRoute(failed, () => ({})).toSorted(descending('count')),
      responseSpeed: rounded(byHour(requests, avg)),
      topSlowRoutes: rounded(byRoute(requests, avg).toSorted(descending('avg'))),
      networkTraffic: rounded(
        byHour(requests, (group) => ({
          ingress_mb: sum(group.map(({ sentBytes }) => sentBytes ?? 0)) / 1e6,
          egress_mb: sum(group.map(({ gotBytes }) => gotBytes)) / 1e6,
        })),
      ),
    });
  });

  it.each(logStreams)('opens %s', async (stream) => {
    const rows = await client.logs({ sql: previews[stream] });
    if (stream === 'edge_logs') {
      expect(rows).toHaveLength(100);
      expect(rows[0]).toEqual({
        id: rows[0]?.id,
        timestamp: (nowMs - 1000) * 1000,
        event_message: 'GET | 200 | /rest/v1/todos',
        method: 'GET',
        path: '/rest/v1/todos',
        status_code: 200,
      });
      return;
    }
    expect(rows).toEqual([
      { id: `${stream}-1`, timestamp: nowMs * 1000, event_message: `of ${stream}`, ...others[stream]?.shown },
    ]);
  });

  it('draws the chart of a stream by minute', async () => {
    const start = new Date(nowMs - hourMs).toISOString();
    const rows = await client.logs({ sql: chartQuery, start });
    const lastHour = requests.filter(({ atMs }) => atMs > nowMs - hourMs);
    const count = (group: readonly Request[], from: number, to: number) =>
      group.filter(({ status }) => status >= from && status < to).length;
    expect(rows).toEqual(
      [...grouped(lastHour, ({ atMs }) => startOf(atMs, minuteMs))]
        .map(([atMinute, group]) => ({
          timestamp: Number(atMinute) * 1000,
          ok_count: count(group, 0, 400),
          warning_count: count(group, 400, 500),
          error_count: count(group, 500, 600),
        }))
        .toReversed(),
    );
  });

  it('pages back through a stream by the millisecond of the oldest row it has, and misses none', async () => {
    const seen = new Map<unknown, Row>();
    let end = '';
    let pages = 0;
    for (; ; pages++) {
      const rows = await client.logs({ end });
      const fresh = rows.filter(({ id }) => !seen.has(id));
      for (const row of fresh) seen.set(row.id, row);
      if (fresh.length === 0) break;
      end = new Date(Math.floor(Number(rows.at(-1)?.timestamp) / 1000)).toISOString();
    }
    expect([...seen.keys()].sort()).toEqual(requests.map(({ id }) => id).sort());
    const times = [...seen.values()].map(({ timestamp }) => Number(timestamp));
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(String(times[0])).toHaveLength(16);
    expect(pages).toBe(4);
  });

  it('shows the statistics of a function and the counts of the API', async () => {
    const stats = await client.invocationStats('1hr', functionId);
    expect(stats).toEqual([
      {
        timestamp: startOf(nowMs, minuteMs) * 1000,
        min_execution_time: 125,
        max_execution_time: 125,
        avg_execution_time: 125,
        p95_execution_time: 125,
        p99_execution_time: 125,
        count: 1,
        error_count: 1,
      },
    ]);
    const counts = await client.apiCounts('daily');
    const matching = (part: string) => requests.filter(({ path }) => path.includes(part)).length;
    expect(counts).toEqual([
      {
        timestamp: civil(startOf(nowMs, 24 * hourMs)),
        total_rest_requests: matching('/rest'),
        total_storage_requests: matching('/storage'),
        total_auth_requests: matching('/auth'),
        total_realtime_requests: matching('/realtime'),
      },
    ]);
  });

  it('is told of a mistake in one sentence', async () => {
    await expect(client.logs({ sql: 'select status_code from edge_log' })).rejects.toThrow(
      /Table `edge_log` is not one of this endpoint's tables.*Did you mean edge_logs\?/,
    );
  });

  it('polls the number of new rows every second, and loads them when there are some', async () => {
    const newest = new Date(nowMs - 1000).toISOString();
    const [first] = requests;
    if (first === undefined) throw new Error('there are no requests');
    const badge: unknown[] = [];
    for (let second = 1; second <= 6; second++) {
      service.clock.advanceMs(1000);
      if (second % 2 === 0) {
        await client.send('edge_logs', [edgeEvent({ ...first, id: `new-${second}`, atMs: nowMs + second * 1000 })]);
      }
      badge.push((await client.logs({ sql: countQuery, start: newest }))[0]?.count);
    }
    expect(badge).toEqual([0, 1, 1, 2, 2, 3]);
    expect((await client.logs({ start: newest })).map(({ id }) => id)).toEqual(['new-6', 'new-4', 'new-2']);
  });
});
