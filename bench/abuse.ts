import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { systemRandomness } from '../src/core/ids.ts';
import { SqlTokenStore } from '../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { createToken } from '../src/tokens/createToken.ts';
import { parseScopes } from '../src/tokens/scope.ts';
import { abuse, expectedOutcomes } from '../test/support/abuse.ts';
import { BenchedService, token } from './benchedService.ts';
import { measureHolds } from './holds/measureHolds.ts';
import { percentile } from './percentile.ts';

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '200' },
    /** Measure only the cases that block the main thread and whose names match. */
    holds: { type: 'string' },
    /** Measure only the clients. */
    'without-holds': { type: 'boolean', default: false },
  },
});

const mebibyte = 2 ** 20;
const heavyCount = 4;
const failures: string[] = [];

if (!options['without-holds']) {
  const holds = await measureHolds(new RegExp(options.holds ?? ''));
  if (options.holds !== undefined) process.exit(holds.failed === 0 ? 0 : 1);
  if (holds.failed > 0) failures.push(`${holds.failed} cases held the main thread beyond its bound`);
}

const folder = mkdtempSync(join(tmpdir(), 'logmill-abuse-'));
const dataDir = join(folder, 'data');
const service = await BenchedService.start(dataDir);
try {
  await sendEvents();
  const [lightToken, ...heavyTokens] = await makeTokens(1 + heavyCount);
  if (lightToken === undefined) throw new Error('no token was made');
  const report = await abuse(
    { url: service.url, heavyTokens, lightToken, observeToken: token, project: 'own' },
    { clients: Number(options.clients), durationMs: Number(options.seconds) * 1000, seed: Date.now() },
  );
  const table = new Table({ style: { head: [], border: [], compact: true } });
  for (const [outcome, count] of Object.entries(report.outcomes).sort()) table.push([outcome, count]);
  console.log(table.toString());
  const memoryMiB = report.memoryBytes.map((bytes) => Math.round(bytes / mebibyte));
  const peakMiB = Math.max(...memoryMiB);
  console.log(`memory of both processes: peak ${peakMiB} MiB, at the end ${memoryMiB.at(-1)} MiB`);
  for (const [what, latencies] of [
    ['alone', report.aloneMs],
    ['meanwhile', report.meanwhileMs],
  ] as const) {
    const shown = [0.5, 0.95, 0.99, 1].map((share) => `${percentile(latencies, share).toFixed(1)} ms`);
    console.log(`light token ${what}: p50, p95, p99, max ${shown.join(', ')} of ${latencies.length} calls`);
  }
  for (const { sinceMs, elapsedMs, stages } of report.slowest) {
    console.log(`slow call of ${elapsedMs.toFixed(0)} ms after ${(sinceMs / 1000).toFixed(1)} s: ${stages}`);
  }
  console.log(`light token was not answered ${report.lightFailures.length} times: ${report.lightFailures.join(', ')}`);
  console.log(`answered again after ${Math.round(report.recoveredMs)} ms`);
  const undocumented = Object.keys(report.outcomes).filter((key) => !expectedOutcomes.has(key.split(': ')[1] ?? ''));
  if (undocumented.length > 0) failures.push(`undocumented answers: ${undocumented.join(', ')}`);
  for (const [share, timesMax] of [
    [0.5, 3],
    [0.99, 6],
  ] as const) {
    const times = percentile(report.meanwhileMs, share) / percentile(report.aloneMs, share);
    console.log(`light token: p${share * 100} is ${times.toFixed(1)} times what it is alone (at most ${timesMax})`);
    if (times > timesMax) failures.push(`p${share * 100} of the light token became ${times.toFixed(1)} times as long`);
  }
  if (peakMiB > 1536) failures.push('the processes took more than 1.5 GiB');
  if (report.recoveredMs > 7000) failures.push('the service took more than seven seconds to answer again');
  if (report.lightFailures.length > report.meanwhileMs.length / 10) failures.push('the light token was starved');
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
for (const failure of failures) console.error(`NOT MET: ${failure}`);
process.exit(failures.length === 0 ? 0 : 1);

async function sendEvents(): Promise<void> {
  const nowMicros = Date.now() * 1000;
  const events = Array.from({ length: 1000 }, (_, i) => ({
    id: `event-${i}`,
    timestamp: nowMicros - i,
    event_message: `${'x'.repeat(200)}${i}`,
    project: 'own',
  }));
  const response = await fetch(`${service.url}/api/logs?source=edge_logs`, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  });
  if (response.status !== 200) throw new Error(`the events were answered with ${response.status}`);
}

async function makeTokens(count: number): Promise<readonly string[]> {
  const database = await openDatabase(dataDir);
  try {
    const store = new SqlTokenStore(database);
    const request = { description: 'abuse', scopes: parseScopes(['query']) };
    const made = [];
    for (let n = 0; n < count; n++) made.push(await createToken(store, request, systemRandomness, Date.now() * 1000));
    return made.map(({ text }) => text);
  } finally {
    await database.destroy();
  }
}
