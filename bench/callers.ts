import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { openDatabase } from '../src/stores/sqlite/database.ts';
import { SqliteFileManifest } from '../src/stores/sqlite/sqliteFileManifest.ts';
import { BenchedService } from './benchedService.ts';
import { callWithSql } from './callerOverHttp.ts';
import { type CallerQuery, callerQueries } from './callerQueries.ts';
import { compileTimes } from './compileTimes.ts';
import { generateEvents } from './generateEvents.ts';
import { type Asked, HandWritten } from './handWritten.ts';
import { ingestOverHttp } from './ingestOverHttp.ts';
import { loadSealedFiles } from './loadSealedFiles.ts';
import { median, rounded } from './percentile.ts';
import { measuredProjects } from './projects.ts';
import { bombTimes } from './queryBombs.ts';
import { requireSameRows } from './sameRows.ts';
import { SandboxAlone } from './sandboxAlone.ts';
import { say } from './say.ts';
import { sealEverything } from './sealEverything.ts';

/**
 * Callers' queries through the sandbox, beside the best that we could write by hand for the engine on the same files: the
 * same rows, checked. Once as calls over HTTP beside the engine in this process, and once without HTTP, both through an
 * engine process, which tells what the sandbox alone costs. Then how long the front end takes for large queries, and how fast bombs are refused.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string' },
    'write-plans': { type: 'boolean', default: false },
  },
});

const rounds = Number(options.rounds);
const warmRounds = 2;
const worstShown = 8;
/** Share of the events in the active segment, of all times. */
const activeShare = 0.01;
const spansHours = { '1 h': 1, '24 h': 24, '7 days': 168 } as const;
const wanted = callerQueries.filter(({ name }) => options.only === undefined || options.only.split(',').includes(name));

const folder = mkdtempSync(join(tmpdir(), 'logmill-callers-'));
const dataDir = join(folder, 'data');
const copyDir = join(folder, 'copy');
const secondCopyDir = join(folder, 'second-copy');

interface Measured {
  readonly query: string;
  readonly span: string;
  readonly size: string;
  readonly rows: number;
  readonly handMs: number;
  /** The fastest statements by hand. */
  readonly way: string;
  readonly httpMs: number;
  /** Without HTTP, both through an engine process. */
  readonly handInProcessMs: number;
  readonly sandboxMs: number;
  /**
   * The same with another time in each round, like dashboards of the last hour, so that nothing cached in an earlier
   * round applies.
   */
  readonly movedMs: number;
}

try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const nowMicros = Date.now() * 1000;
  await fill(Number(options.events), nowMicros);
  const hand = await HandWritten.open(copyDir);
  const alone = await SandboxAlone.open(secondCopyDir);
  const service = await BenchedService.start(dataDir);
  const measured: Measured[] = [];
  try {
    for (const query of wanted) {
      for (const [span, hours] of query.isOfWholeHistory ? [['all', null] as const] : Object.entries(spansHours)) {
        for (const [size, project] of Object.entries(measuredProjects)) {
          const afterMicros = hours === null ? null : nowMicros - hours * 3_600_000_000;
          measured.push(await measure(service.url, hand, alone, query, { project, afterMicros }, span, size));
        }
      }
      say(`${query.name}: ${ratioText(measured.filter((each) => each.query === query.name))}`);
    }
    if (options['write-plans']) await writePlans(hand, nowMicros);
    say('compiling large queries, and sending bombs');
    const compiled = compileTimes();
    const bombed = await bombTimes(service.url, measuredProjects.tiny);
    report(measured, compiled, bombed);
  } finally {
    await service.stop();
    await alone.close();
  }
}

/** Creates merged sealed segments, an active one, and copies that other processes may open at the same time. */
async function fill(events: number, nowMicros: number): Promise<void> {
  say(`filling a folder with ${events} events`);
  const database = await openDatabase(dataDir);
  await loadSealedFiles(dataDir, new SqliteFileManifest(database), Math.round(events * (1 - activeShare)), nowMicros);
  await database.destroy();
  await sealEverything(dataDir);
  const service = await BenchedService.start(dataDir);
  const file = generateEvents(folder, Math.round(events * activeShare), nowMicros);
  await ingestOverHttp(service.url, file, file.batches);
  await service.stop();
  file.close();
  cpSync(dataDir, copyDir, { recursive: true });
  cpSync(dataDir, secondCopyDir, { recursive: true });
}

/** Measures the statements by hand and the call in turn, so that other load on the machine affects all equally. */
async function measure(
  url: string,
  hand: HandWritten,
  alone: SandboxAlone,
  query: CallerQuery,
  asked: Asked,
  span: string,
  size: string,
): Promise<Measured> {
  const parameters = {
    project: asked.project,
    ...(asked.afterMicros === null ? {} : { iso_timestamp_start: new Date(asked.afterMicros / 1000).toISOString() }),
  };
  const httpMs: number[] = [];
  const sandboxMs: number[] = [];
  const movedMs: number[] = [];
  const handMs = query.byHand.map((): number[] => []);
  const handInProcessMs = query.byHand.map((): number[] => []);
  let rows = 0;
  for (let round = -warmRounds; round < rounds; round++) {
    const answer = await callWithSql(url, query.text, parameters);
    if (answer.status !== 200) throw new Error(`${query.name} was answered with ${answer.body.toString()}`);
    if (round >= 0) httpMs.push(answer.ms);
    for (const [i, way] of query.byHand.entries()) {
      const ran = await hand.run(way, asked);
      if (round >= 0) handMs[i]?.push(ran.ms);
      else rows = requireSameRows(`${query.name} for ${JSON.stringify(asked)}`, answer.body, ran.rows);
    }
    // Also in reverse order, because the first one runs while the machine is busy with the previous measurement.
    const steps = [
      { ms: sandboxMs, run: () => alone.runQuery(query, asked, 'again') },
      { ms: movedMs, run: () => alone.runQuery(query, movedBy(asked, round + warmRounds + 1), 'moved') },
      ...query.byHand.map((way, i) => ({ ms: handInProcessMs[i], run: () => alone.runByHand(way, asked) })),
    ];
    for (const { ms, run } of round % 2 === 0 ? steps : steps.toReversed()) {
      const tookMs = await run();
      if (round >= 0) ms?.push(tookMs);
    }
  }
  const medians = handMs.map(median);
  const best = medians.indexOf(Math.min(...medians));
  return {
    query: query.name,
    span,
    size,
    rows,
    handMs: medians[best] ?? Number.NaN,
    way: query.byHand[best]?.title ?? '',
    httpMs: median(httpMs),
    handInProcessMs: Math.min(...handInProcessMs.map(median)),
    sandboxMs: median(sandboxMs),
    movedMs: median(movedMs),
  };
}

/** The same query for a time that is this many milliseconds later. */
function movedBy({ project, afterMicros }: Asked, ms: number): Asked {
  return { project, afterMicros: afterMicros === null ? null : afterMicros + ms * 1000 };
}

/** Writes the statements by hand for the large project over a day, with the engine's plans. */
async function writePlans(hand: HandWritten, nowMicros: number): Promise<void> {
  const asked = { project: measuredProjects.large, afterMicros: nowMicros - spansHours['24 h'] * 3_600_000_000 };
  const parts: string[] = [];
  for (const query of callerQueries) {
    for (const way of query.byHand) parts.push(`==== ${query.name}, ${way.title}`, await hand.plans(way, asked));
  }
  writeFileSync(join(import.meta.dirname, 'caller', 'plans.txt'), `${parts.join('\n\n')}\n`);
}

function ratioOf({ httpMs, handMs }: Measured): number {
  return httpMs / handMs;
}

/** Ratio of the sandbox alone. */
function aloneOf({ sandboxMs, handInProcessMs }: Measured): number {
  return sandboxMs / handInProcessMs;
}

/** The same with another time in each round. */
function movedOf({ movedMs, handInProcessMs }: Measured): number {
  return movedMs / handInProcessMs;
}

function ratioText(some: readonly Measured[]): string {
  const each = some.map(({ span, size, httpMs, handMs }) => `${span} ${size} ${rounded(httpMs)}/${rounded(handMs)} ms`);
  return `${rounded(median(some.map(ratioOf)))}× (${each.join(', ')})`;
}

function report(
  measured: readonly Measured[],
  compiled: ReturnType<typeof compileTimes>,
  bombed: Awaited<ReturnType<typeof bombTimes>>,
): void {
  const table = new Table({ head: ['query', 'span', ...Object.keys(measuredProjects), 'by hand the fastest'] });
  const keys = new Set(measured.map(({ query, span }) => `${query} ${span}`));
  for (const key of keys) {
    const some = measured.filter(({ query, span }) => `${query} ${span}` === key);
    const [first] = some;
    if (first === undefined) continue;
    const cells = some.map(
      (each) =>
        `${rounded(ratioOf(each))}× ${rounded(each.httpMs)}/${rounded(each.handMs)} ms, ${each.rows} rows; alone ${rounded(aloneOf(each))}×`,
    );
    table.push([first.query, first.span, ...cells, [...new Set(some.map(({ way }) => way))].join('; ')]);
  }
  console.log(table.toString());
  const all = median(measured.map(ratioOf));
  const added = median(measured.map(({ httpMs, handMs }) => httpMs - handMs));
  console.log(`median ${rounded(all)}× (target ≤ 1.3×), median added ${rounded(added)} ms`);
  const large = median(measured.filter(({ handMs }) => handMs >= 10).map(ratioOf));
  console.log(`median of those that take 10 ms and more by hand: ${rounded(large)}×`);
  console.log(
    `the sandbox alone, both ways through an engine process: median ${rounded(median(measured.map(aloneOf)))}×, ${rounded(median(measured.map(movedOf)))}× where each call asks for a time of its own`,
  );
  const worst = measured.toSorted((a, b) => aloneOf(b) - aloneOf(a)).slice(0, worstShown);
  for (const { query, span, size, sandboxMs, handInProcessMs } of worst)
    console.log(`  worst: ${query} ${span} ${size} ${rounded(sandboxMs)}/${rounded(handInProcessMs)} ms`);
  const compileTable = new Table({ head: ['compiling', 'bytes', 'median', 'p99', 'target'] });
  for (const { what, bytes, medianMs, p99Ms } of compiled)
    compileTable.push([what, bytes, `${rounded(medianMs)} ms`, `${rounded(p99Ms)} ms`, '< 5 ms']);
  console.log(compileTable.toString());
  const bombTable = new Table({ head: ['64 KiB of', 'answer', 'median', 'longest probe', 'target'] });
  for (const { what, status, code, medianMs, probeMsMax } of bombed)
    bombTable.push([what, `${status} ${code}`, `${rounded(medianMs)} ms`, `${rounded(probeMsMax)} ms`, '< 50 ms']);
  console.log(bombTable.toString());
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: import.meta.dirname, encoding: 'utf8' }).trim();
  const resultsDir = join(import.meta.dirname, 'results');
  mkdirSync(resultsDir, { recursive: true });
  const path = join(resultsDir, `callers-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
  const result = {
    commit,
    events: Number(options.events),
    medianRatio: all,
    aloneRatio: median(measured.map(aloneOf)),
    movedRatio: median(measured.map(movedOf)),
    measured,
    compiled,
    bombed,
  };
  writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  say(`written to ${path}`);
}
