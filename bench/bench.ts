import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { createTableSql, tableLayout } from '../src/engines/duckdb/tableLayout.ts';
import { builtinSources } from '../src/sources/builtin.ts';
import { BareEngine } from './bareEngine.ts';
import { type BareRate, bareIngest } from './bareIngest.ts';
import { benchedQueries } from './benchedQueries.ts';
import { BenchedService } from './benchedService.ts';
import { daysSpread, eventsPerBatch, generateEvents } from './generateEvents.ts';
import { ingestOverHttp } from './ingestOverHttp.ts';
import { median, rounded } from './percentile.ts';
import { projectCount } from './projects.ts';
import { measureParallel, measureQuery } from './queryOverHttp.ts';
import { sealEverything } from './sealEverything.ts';

const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    'write-statements': { type: 'boolean', default: false },
  },
});

/** Batches that the bare engine writes, before and after the service. */
const bareBatches = 60;
/** Share of the events that are sent at half of the full rate. */
const pacedShare = 0.2;
const starts = 3;
const parallelSeconds = 4;
const warmSeconds = 10;

const folder = mkdtempSync(join(tmpdir(), 'logmill-bench-'));
const dataDir = join(folder, 'data');
const say = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);

interface Row {
  readonly what: string;
  readonly measured: string;
  readonly target: string;
  readonly isMet: boolean | null;
}
const rows: Row[] = [];
const result: Record<string, unknown> = {};

try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  say(`making ${options.events} events over ${daysSpread} days and ${projectCount} projects`);
  const file = generateEvents(folder, Number(options.events), Date.now() * 1000);
  const rawBytes = file.bytes;
  say(`${file.events} events, ${Math.round(rawBytes / file.events)} bytes each`);
  const sample = file.batches.slice(0, bareBatches);
  const bareBefore = await bareIngest(folder, file, sample);

  const service = await BenchedService.start(dataDir);
  await delay(1000);
  const idleMiB = service.residentMiB();
  const fullCount = Math.floor(file.batches.length * (1 - pacedShare));
  say(`ingesting ${fullCount * eventsPerBatch} events at full speed`);
  const full = await ingestOverHttp(service.url, file, file.batches.slice(0, fullCount));
  say(`${Math.round(full.eventsPerSecond)} events/s; ingesting the rest at half of that`);
  const paced = await ingestOverHttp(service.url, file, file.batches.slice(fullCount), full.eventsPerSecond / 2);
  const ingestedMiB = service.residentMiB();
  await service.stop();
  const bareAfter = await bareIngest(folder, file, sample);
  const mean = (pick: (rate: BareRate) => number) => (pick(bareBefore) + pick(bareAfter)) / 2;
  const fromJson = mean((rate) => rate.fromJson);
  const fromCells = mean((rate) => rate.fromCells);
  const ratio = full.eventsPerSecond / fromJson;
  row('ingestion over HTTP', `${Math.round(full.eventsPerSecond)} events/s, p99 ${ms(full.acknowledgeMsP99)}`);
  row('engine alone, durable batches of 1,000, from JSON', `${Math.round(fromJson)} events/s`);
  row('engine alone, from cells at hand', `${Math.round(fromCells)} events/s`);
  row('ingestion beside the engine alone, from JSON', `${rounded(ratio)}×`, '≥ 0.5×', ratio >= 0.5);
  row('ingestion beside the engine alone, from cells', `${rounded(full.eventsPerSecond / fromCells)}×`);
  row('p99 acknowledgement at half that rate', ms(paced.acknowledgeMsP99), '< 150 ms', paced.acknowledgeMsP99 < 150);
  result.ingest = { full, paced, bareBefore, bareAfter, ratio };

  say('sealing what is not sealed yet');
  await sealEverything(dataDir);
  const bare = await BareEngine.open(dataDir);
  const storedRatio = bare.sealedBytes / rawBytes;
  row('stored bytes beside raw JSON', `${storedRatio.toFixed(3)}`, '≤ 0.17', storedRatio <= 0.17);
  result.stored = { rawBytes, sealedBytes: bare.sealedBytes, files: bare.sealedFiles, events: bare.sealedEvents };
  if (bare.sealedEvents !== file.events) throw new Error(`${bare.sealedEvents} of ${file.events} events are stored`);
  file.close();

  const startMs: number[] = [];
  for (let n = 0; n < starts; n++) {
    const started = await BenchedService.start(dataDir);
    startMs.push(started.startMs);
    await started.stop();
  }
  row('start to ready, after a clean stop', ms(median(startMs)), '≤ 1000 ms', median(startMs) <= 1000);
  result.startMs = startMs;
  await measureQueries(bare, idleMiB, ingestedMiB);
  if (options['write-statements']) await writeStatements(bare);
  bare.close();
  report();
}

async function measureQueries(bare: BareEngine, idleMiB: number | null, ingestedMiB: number | null): Promise<void> {
  const service = await BenchedService.start(dataDir);
  const openedMiB = service.residentMiB();
  // A service that has just started runs code that is not compiled yet.
  await measureParallel(service.url, benchedQueries, 1, warmSeconds);
  say(`measuring ${benchedQueries.length} queries on ${bare.sealedFiles} sealed files`);
  const queries = [];
  for (const query of benchedQueries) queries.push(await measureQuery(service.url, bare, query));
  for (const { title, bareMs, httpMs, isNewest, bytes } of queries) {
    const addedMs = httpMs - bareMs;
    const isMet = httpMs <= Math.max(1.15 * bareMs, bareMs + 2);
    row(
      title,
      `${ms(httpMs)}, bare ${ms(bareMs)} (${rounded(httpMs / bareMs)}×, +${ms(addedMs)}, ${Math.ceil(bytes / 1024)} KiB)`,
      '≤ 1.15× or + 2 ms',
      isMet,
    );
    if (isNewest) row('  as newest 100', ms(httpMs), '≤ 10 ms', httpMs <= 10);
  }
  say('measuring parallel clients');
  const parallel = [];
  for (const clients of [1, 8, 32]) {
    parallel.push(await measureParallel(service.url, benchedQueries, clients, parallelSeconds));
  }
  const [one, eight, many] = parallel;
  if (one !== undefined && eight !== undefined && many !== undefined) {
    const gain = eight.callsPerSecond / one.callsPerSecond;
    const tail = many.p99Ms / eight.p99Ms;
    row(
      '8 clients beside 1, all queries by turns',
      `${rounded(gain)}× (${Math.round(eight.callsPerSecond)}/s)`,
      '≥ 1.5×',
      gain >= 1.5,
    );
    row('p99 of 32 clients beside 8', `${rounded(tail)}× (${ms(many.p99Ms)})`, '≤ 4×', tail <= 4);
  }
  const busyMiB = service.residentMiB();
  row('memory of all processes, idle and empty', `${idleMiB} MiB`, '≤ 250 MB', isBelow(idleMiB, 250));
  row('memory after ingestion', `${ingestedMiB} MiB`, '≤ 900 MB', isBelow(ingestedMiB, 900));
  row('memory after start on the folder', `${openedMiB} MiB`, '≤ 250 MB', isBelow(openedMiB, 250));
  row('memory after queries', `${busyMiB} MiB`, '≤ 900 MB', isBelow(busyMiB, 900));
  result.queries = queries;
  result.parallel = parallel;
  result.residentMiB = { idle: idleMiB, afterIngest: ingestedMiB, opened: openedMiB, afterQueries: busyMiB };
  await service.stop();
}

/** The statements that the engine gets for the largest project, and the tables they run on. */
async function writeStatements(bare: BareEngine): Promise<void> {
  const parts = builtinSources.map((source) => `${createTableSql('sealed_1', tableLayout(source), 'sealed')};`);
  for (const query of benchedQueries.filter(({ title }) => title.endsWith('large'))) {
    const statements = await bare.statementsOf(query);
    parts.push(`-- ${query.title} ${JSON.stringify(query.parameters)}`, ...statements.map((sql) => `${sql};`));
  }
  writeFileSync(join(import.meta.dirname, 'statements.sql'), `${parts.join('\n\n')}\n`);
}

function report(): void {
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const table = new Table({ head: ['what', 'measured', 'target', 'met'] });
  for (const { what, measured, target, isMet } of rows) {
    table.push([what, measured, target, isMet === null ? '' : isMet ? 'yes' : 'NO']);
  }
  console.log(table.toString());
  console.log(
    `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node}, commit ${commit.slice(0, 12)}`,
  );
  const resultsDir = join(import.meta.dirname, 'results');
  mkdirSync(resultsDir, { recursive: true });
  const path = join(resultsDir, `${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  writeFileSync(
    path,
    `${JSON.stringify({ commit, machine, events: Number(options.events), ...result, rows }, null, 2)}\n`,
  );
  console.log(`written to ${path}`);
}

function row(what: string, measured: string, target = '', isMet: boolean | null = null): void {
  rows.push({ what, measured, target, isMet });
  say(`${what}: ${measured}`);
}

function ms(value: number): string {
  return `${rounded(value)} ms`;
}

function isBelow(value: number | null, bound: number): boolean | null {
  return value === null ? null : value <= bound;
}
