import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BareRoute, fetchHit } from './bareRoute.ts';
import { BenchedService, token } from './benchedService.ts';
import { median, rounded } from './percentile.ts';
import { withProcessorTime } from './processorTime.ts';
import { measureGet } from './rawClient.ts';

/**
 * Measures the cost of a cache hit: the built service and a bare Fastify route that checks a token and returns the same
 * bytes and headers, in separate processes and in turn. Also measures hits of 1000 rows, redacted and not, and a burst
 * of identical calls next to one call.
 */
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});

const project = 'cachedproject';
const endpointId = '77eeb93b-4d5e-467a-96f7-53c59097216c';
const burst = 100;
/** Rows with an address each; no shipped endpoint that caches has as many. */
const manyRows = {
  name: 'bench.many-rows',
  query:
    'select t.id, t.timestamp, t.event_message, t.metadata from sources.function_edge_logs as t join unnest(t.metadata) as m where m.project_ref = @project order by timestamp desc limit 1000',
  parameters: { project: { type: 'string', required: true } },
  cache_seconds: 900,
} as const;
const headers = { 'x-api-key': token };

const folder = mkdtempSync(join(tmpdir(), 'logmill-cache-bench-'));
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const service = await BenchedService.start(join(folder, 'data'));
  try {
    await send(service.url);
    const called = `${service.url}/api/endpoints/query`;
    const statistics = `${called}/functions.invocation-stats?project=${project}&interval=1hr&fill=zero`;
    await measureHits(service, 'statistics', statistics, {});
    const rows = `${called}/${manyRows.name}?project=${project}`;
    await measureHits(service, '1000 rows', rows, {});
    await measureHits(service, '1000 rows, redacted', rows, { 'svc-endpoint-redact-pii': 'true' });
    await measureBurst(service.url, statistics);
  } finally {
    await service.stop();
  }
}

async function measureHits(
  service: BenchedService,
  what: string,
  url: string,
  more: Readonly<Record<string, string>>,
): Promise<void> {
  await fetchHit(url, more);
  const bareRoute = await BareRoute.start(folder, await fetchHit(url, more));
  try {
    await measureBeside(bareRoute, service, what, url, { ...headers, ...more });
  } finally {
    await bareRoute.stop();
  }
}

async function measureBeside(
  bareRoute: BareRoute,
  service: BenchedService,
  what: string,
  url: string,
  sent: Readonly<Record<string, string>>,
): Promise<void> {
  const connections = Number(options.connections);
  const seconds = Number(options.seconds);
  // Newly loaded code is not compiled yet.
  await measureGet(url, sent, connections, seconds);
  await measureGet(bareRoute.url, sent, connections, seconds);
  const ratios: number[] = [];
  const efforts: number[] = [];
  const tails: number[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const [hit, hitMicros] = await withProcessorTime(service.pid, () => measureGet(url, sent, connections, seconds));
    const [bare, bareMicros] = await withProcessorTime(bareRoute.pid, () =>
      measureGet(bareRoute.url, sent, connections, seconds),
    );
    if (!/cache-status: Logmill; hit/i.test(hit.head)) throw new Error(`no hit: ${hit.head}`);
    ratios.push(hit.perSecond / bare.perSecond);
    tails.push(hit.p99Ms / bare.p99Ms);
    efforts.push(hitMicros / bareMicros);
    console.log(
      `${what}: hit ${Math.round(hit.perSecond)}/s, p50 ${rounded(hit.p50Ms)} ms, p99 ${rounded(hit.p99Ms)} ms; ` +
        `bare ${Math.round(bare.perSecond)}/s, p50 ${rounded(bare.p50Ms)} ms, p99 ${rounded(bare.p99Ms)} ms; ` +
        `${rounded(hit.perSecond / bare.perSecond)} of the rate; ` +
        `processor ${Math.round(hitMicros)} and ${Math.round(bareMicros)} µs a call`,
    );
  }
  console.log(`${what}: processor time of a hit, compared with the bare route: ${rounded(median(efforts))}×`);
  console.log(`${connections} connections, ${options.rounds} rounds of ${options.seconds} s by turns`);
  verdict(`${what}: rate of hits, compared with the bare route`, median(ratios), '≥ 0.6', median(ratios) >= 0.6);
  verdict(`${what}: p99 of hits, compared with the bare route`, median(tails), '< 2', median(tails) < 2);
}

/** Times of one cold call and of many identical ones at once, each after a purge. */
async function measureBurst(serviceUrl: string, url: string): Promise<void> {
  const single: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < 10; round++) {
    for (const [count, times] of [
      [1, single],
      [burst, many],
    ] as const) {
      const purged = await fetch(`${serviceUrl}/api/endpoints/${endpointId}/purge`, { method: 'POST', headers });
      if (purged.status !== 200) throw new Error(`the purge was answered with ${purged.status}`);
      const startedMs = performance.now();
      const statuses = await Promise.all(Array.from({ length: count }, () => cacheStatusOf(url)));
      times.push(performance.now() - startedMs);
      const runs = statuses.filter((status) => !/hit|collapsed/.test(status)).length;
      if (runs !== 1) throw new Error(`${count} identical calls made ${runs} runs`);
    }
  }
  console.log(
    `one cold call ${rounded(median(single))} ms, ${burst} identical ones at once ${rounded(median(many))} ms, with one run of the engine`,
  );
}

function verdict(what: string, measured: number, target: string, isMet: boolean): void {
  console.log(`${what}: ${rounded(measured)}× (${target}: ${isMet ? 'met' : 'NOT MET'})`);
}

async function cacheStatusOf(url: string): Promise<string> {
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return response.headers.get('cache-status') ?? '';
}

async function send(url: string): Promise<void> {
  const nowMicros = Date.now() * 1000;
  const events = Array.from({ length: 5000 }, (_, n) => ({
    timestamp: nowMicros - n * 700_000,
    event_message: `POST | 200 | ${n}`,
    metadata: {
      project_ref: project,
      execution_time_ms: n % 300,
      response: { status_code: 200 },
      request: { url: `https://example.com/functions/${n}`, headers: [{ x_real_ip: `203.0.113.${n % 250}` }] },
    },
  }));
  const response = await fetch(`${url}/api/logs?source=function_edge_logs`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  if (response.status !== 200) throw new Error(`the events were not stored: ${await response.text()}`);
  const created = await fetch(`${url}/api/endpoints`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(manyRows),
  });
  if (created.status !== 201) throw new Error(`the endpoint was not created: ${await created.text()}`);
}
