import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import { BareEngine } from './bareEngine.ts';
import { benchedQueries } from './benchedQueries.ts';
import { BenchedService } from './benchedService.ts';
import { loadSealedFiles } from './loadSealedFiles.ts';
import { median, rounded } from './percentile.ts';
import { measureParallel, measureQuery } from './queryOverHttp.ts';
import { say } from './say.ts';
import { sealEverything } from './sealEverything.ts';

/**
 * Measures what grows with the number of events: start, newest rows, merging. Fills a folder of each size with sealed
 * segments, lets the product merge them, and measures the built service on it.
 */
const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '2000000,20000000' } },
});

const starts = 3;
const warmSeconds = 5;

interface Measured {
  readonly events: number;
  readonly loadSeconds: number;
  readonly mergeSeconds: number;
  readonly files: number;
  readonly sealedBytes: number;
  readonly startMs: number;
  readonly residentMiB: number | null;
  /** Milliseconds over HTTP and bare, by the title of the query. */
  readonly queries: Readonly<Record<string, { readonly httpMs: number; readonly bareMs: number }>>;
}

const folder = mkdtempSync(join(tmpdir(), 'logmill-growth-'));
try {
  const measured: Measured[] = [];
  for (const size of options.events.split(',').map(Number)) measured.push(await measure(join(folder, 'data'), size));
  report(measured);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function measure(dataDir: string, events: number): Promise<Measured> {
  say(`filling a folder with ${events} events`);
  const loadSeconds = await seconds(async () => {
    const database = await openDatabase(dataDir);
    await loadSealedFiles(dataDir, new SqliteFileManifest(database), events, Date.now() * 1000);
    await database.destroy();
  });
  say(`${Math.round(events / loadSeconds)} events/s; merging`);
  const mergeSeconds = await seconds(async () => await sealEverything(dataDir));
  const bare = await BareEngine.open(dataDir);
  if (bare.sealedEvents !== events) throw new Error(`${bare.sealedEvents} of ${events} events are stored`);
  say(`merged into ${bare.sealedFiles} files in ${Math.round(mergeSeconds)} s`);
  const startMs: number[] = [];
  for (let n = 0; n < starts; n++) {
    const started = await BenchedService.start(dataDir);
    startMs.push(started.startMs);
    await started.stop();
  }
  const service = await BenchedService.start(dataDir);
  await measureParallel(service.url, benchedQueries, 1, warmSeconds);
  const queries: Record<string, { httpMs: number; bareMs: number }> = {};
  for (const query of benchedQueries) {
    const { title, httpMs, bareMs } = await measureQuery(service.url, bare, query);
    queries[title] = { httpMs, bareMs };
  }
  const residentMiB = service.residentMiB();
  await service.stop();
  const { sealedFiles: files, sealedBytes } = bare;
  bare.close();
  rmSync(dataDir, { recursive: true });
  return { events, loadSeconds, mergeSeconds, files, sealedBytes, startMs: median(startMs), residentMiB, queries };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (performance.now() - startedMs) / 1000;
}

/** Prints the results as a table, and writes them as JSON and Markdown. */
function report(measured: readonly Measured[]): void {
  const line = (what: string, cell: (each: Measured) => string) => `| ${[what, ...measured.map(cell)].join(' | ')} |`;
  const titles = measured[0] === undefined ? [] : Object.keys(measured[0].queries);
  const table = [
    line('events', ({ events }) => events.toLocaleString('en')),
    `| --- |${measured.map(() => ' --- |').join('')}`,
    line('sealed files after merging', ({ files }) => String(files)),
    line('bytes per event', ({ sealedBytes, events }) => String(Math.round(sealedBytes / events))),
    line('events merged per second', ({ events, mergeSeconds }) => String(Math.round(events / mergeSeconds))),
    line('start to ready, ms', ({ startMs }) => String(Math.round(startMs))),
    line('memory after queries, MiB', ({ residentMiB }) => String(residentMiB)),
    ...titles.map((title) =>
      line(`${title}, ms`, ({ queries }) => String(rounded(queries[title]?.httpMs ?? Number.NaN))),
    ),
  ].join('\n');
  console.log(table);
  const resultsDir = join(import.meta.dirname, 'results');
  mkdirSync(resultsDir, { recursive: true });
  const name = `growth-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}`;
  writeFileSync(join(resultsDir, `${name}.json`), `${JSON.stringify(measured, null, 2)}\n`);
  writeFileSync(join(resultsDir, `${name}.md`), `${table}\n`);
  say(`written to ${join(resultsDir, name)}.json and .md`);
}
