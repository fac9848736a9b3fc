import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import { BenchedService, token } from './benchedService.ts';
import { loadSealedFiles } from './loadSealedFiles.ts';
import { median, rounded } from './percentile.ts';
import { say } from './say.ts';
import { sealEverything } from './sealEverything.ts';
import { CopiedRows } from './streams/copiedRows.ts';
import { msUntilFreed, readStream, streamTo } from './streams/readStream.ts';

/**
 * Streams of many rows over HTTP, beside DuckDB in this process that writes the same rows in the same format to a file. Both
 * by turns, so that other load affects both. Then how much memory the service takes, how soon the first bytes come, and how
 * soon the query of a reader who left has ended.
 */
const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '3' },
    only: { type: 'string', default: 'narrow ndjson,narrow csv,narrow arrow,wide ndjson,wide csv,wide arrow' },
    profile: { type: 'string' },
  },
});

const rounds = Number(options.rounds);
/** Events to read; each is repeated until there are enough rows. */
const storedEvents = 200_000;
/** The rows of a wide shape have some 1,500 bytes, so there are fewer. */
const wideShare = 0.2;
const sampleMs = 20;
const formats = ['ndjson', 'csv', 'arrow'] as const;

/** Selected columns, the share of the rows that are read, and the column that has JSON. */
const shapes: Readonly<Record<'narrow' | 'wide', { columns: string; share: number; json?: string }>> = {
  narrow: { columns: 't.id, t.timestamp, t.event_message like "GET%" as gets, n, n / 7 as share', share: 1 },
  wide: { columns: 't.id, t.timestamp, t.event_message, t.metadata', share: wideShare, json: 'metadata' },
};
type Shape = keyof typeof shapes;

const targetOf = (shape: Shape, format: (typeof formats)[number]): number =>
  shape === 'narrow' && format === 'csv' ? 0.3 : 0.5;

const folder = mkdtempSync(join(tmpdir(), 'logmill-streams-'));
const dataDir = join(folder, 'data');

try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  say(`filling a folder with ${storedEvents} events`);
  const database = await openDatabase(dataDir);
  await loadSealedFiles(dataDir, new SqliteFileManifest(database), storedEvents, Date.now() * 1000);
  await database.destroy();
  await sealEverything(dataDir);
  const flags = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  const service = await BenchedService.start(dataDir, {}, flags);
  try {
    report(await measureAll(service));
  } finally {
    await service.stop();
  }
}

async function measureAll(service: BenchedService) {
  const idleMiB = service.residentMiB() ?? Number.NaN;
  const measured = [];
  for (const shape of Object.keys(shapes) as Shape[]) {
    const wanted = formats.filter((format) => options.only.split(',').includes(`${shape} ${format}`));
    if (wanted.length === 0) continue;
    const { name, rows } = await define(service.url, shape);
    say(`copying ${rows} ${shape} rows for DuckDB alone`);
    const csv = join(folder, 'rows.csv');
    await streamTo(service.url, name, csv);
    const alone = await CopiedRows.open(csv, join(folder, `${shape}.duckdb`), rows, shapes[shape].json);
    rmSync(csv);
    for (const format of wanted) {
      const ms: { service: number[]; alone: number[] } = { service: [], alone: [] };
      const seconds: { service: number[]; alone: number[] } = { service: [], alone: [] };
      const firstMs: number[] = [];
      let peakMiB = 0;
      for (let round = 0; round < rounds; round++) {
        const sampling = setInterval(() => {
          peakMiB = Math.max(peakMiB, service.residentMiB() ?? 0);
        }, sampleMs);
        const beforeMs = service.processorMs();
        const read = await readStream(service.url, name, format);
        seconds.service.push((service.processorMs() - beforeMs) / 1000);
        clearInterval(sampling);
        ms.service.push(read.ms);
        firstMs.push(read.firstMs);
        const idle = process.cpuUsage();
        ms.alone.push(await alone.write(format, join(folder, 'copy')));
        const { user, system } = process.cpuUsage(idle);
        seconds.alone.push((user + system) / 1e6);
      }
      const ratio = median(ms.alone.map((each, i) => each / (ms.service[i] ?? Number.NaN)));
      const result = {
        shape,
        format,
        rows,
        rowsPerSecond: Math.round(rows / (median(ms.service) / 1000)),
        aloneRowsPerSecond: Math.round(rows / (median(ms.alone) / 1000)),
        ratio,
        target: targetOf(shape, format),
        processorMicros: (median(seconds.service) / rows) * 1e6,
        aloneProcessorMicros: (median(seconds.alone) / rows) * 1e6,
        firstMs: median(firstMs),
        aboveIdleMiB: peakMiB - idleMiB,
        freedMs: await msUntilFreed(service.url, name, format),
      };
      say(`${shape} ${format}: ${result.rowsPerSecond} rows/s, ${rounded(ratio)}×`);
      measured.push(result);
    }
    alone.close();
  }
  return measured;
}

/** Makes an endpoint with the rows of a shape. */
async function define(url: string, shape: Shape): Promise<{ readonly name: string; readonly rows: number }> {
  const counting = `streams.count-${shape}`;
  await post(url, '/api/endpoints', { name: counting, query: 'select count(*) as n from sources.edge_logs as t' });
  const counted = await fetch(`${url}/api/endpoints/query/${counting}`, { headers: { 'x-api-key': token } });
  if (counted.status !== 200) throw new Error(`${counting} was answered with ${counted.status}`);
  const { n: count } = ((await counted.json()) as { readonly result: readonly [{ readonly n: number }] }).result[0];
  const { columns, share } = shapes[shape];
  const times = Math.ceil((Number(options.rows) * share) / count);
  const name = `streams.${shape}`;
  await post(url, '/api/endpoints', {
    name,
    query: `select ${columns} from sources.edge_logs as t cross join unnest(generate_array(1, ${times})) as n`,
    stream: true,
  });
  return { name, rows: count * times };
}

async function post(url: string, path: string, body: object): Promise<void> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': token, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status !== 201)
    throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
}

function report(measured: Awaited<ReturnType<typeof measureAll>>): void {
  const table = new Table({
    head: [
      'rows',
      'rows/s',
      'DuckDB alone',
      'ratio',
      'target',
      'processor time of a row',
      'DuckDB alone',
      'first byte',
      'memory above idle',
      'freed after',
    ],
  });
  for (const each of measured) {
    table.push([
      `${each.rows} ${each.shape} ${each.format}`,
      each.rowsPerSecond,
      each.aloneRowsPerSecond,
      `${rounded(each.ratio)}×`,
      `${each.target}×`,
      `${rounded(each.processorMicros)} µs`,
      `${rounded(each.aloneProcessorMicros)} µs`,
      `${rounded(each.firstMs)} ms`,
      `${each.aboveIdleMiB} MiB`,
      `${rounded(each.freedMs)} ms`,
    ]);
  }
  console.log(table.toString());
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const resultsDir = join(import.meta.dirname, 'results');
  mkdirSync(resultsDir, { recursive: true });
  const path = join(resultsDir, `streams-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  writeFileSync(path, `${JSON.stringify({ commit, measured }, null, 2)}\n`);
  say(`written to ${path}`);
}
