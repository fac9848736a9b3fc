import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { CountingProxy } from './clickhouse/countingProxy.ts';
import { type FanOut, measureFanOut, ratioMax, scalingRatio } from './clickhouse/fanOut.ts';
import { HandClient } from './clickhouse/handClient.ts';
import { type LoadedClickHouse, loadedClickHouse } from './clickhouse/loadedClickHouse.ts';
import { measureIngestion } from './clickhouse/measureIngestion.ts';
import {
  type CameBack,
  cameBack,
  type MeasuredQuestion,
  measureQuestion,
  requireSame,
} from './clickhouse/measureQuestion.ts';
import { prepareFolder, startNode } from './clickhouse/nodes.ts';
import { questions as allQuestions, groups, type Question } from './clickhouse/questions.ts';
import { median, rounded } from './percentile.ts';
import { say } from './say.ts';
import { commit, load, loadWarning, machine } from './suite/machine.ts';
import { presentMs } from './suite/preparedEvents.ts';
import { newRunFolder, sharedFolder } from './suite/scratch.ts';
import { setPresent } from './suite/shiftedClock.mjs';

/**
 * Calls of a node with its events in ClickHouse, beside the best SQL that we could write by hand for the same tables, both
 * on the stand-in (test/clickhouse): by turns, with compared rows. Then what came back from ClickHouse, the processor time
 * of the node, and how it scales over three nodes.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '5000000' },
    rounds: { type: 'string', default: '15' },
    /** Groups of questions, `ingestion` and `fanout`. */
    only: { type: 'string', default: [...groups, 'ingestion', 'fanout'].join(',') },
    /** Only questions whose title contains this text. */
    match: { type: 'string', default: '' },
    /** Prints the statements that the service sends. */
    statements: { type: 'boolean', default: false },
    /** Folder for profiles of the node. */
    profile: { type: 'string' },
  },
});

const effort = { rounds: Number(options.rounds), warmRounds: 3 };
const wanted = options.only.split(',');
/** Calls of each question before any is measured. */
const warmCalls = 3;
const root = join(import.meta.dirname, '..');

const folder = newRunFolder();
try {
  await run();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<void> {
  const here = await machine();
  const before = load();
  const warning = loadWarning(before, here);
  if (warning !== null) say(warning);
  const loaded = await loadedClickHouse(sharedFolder, Number(options.events), say);
  setPresent(presentMs);
  try {
    const asked = allQuestions.filter(({ group, what }) => wanted.includes(group) && what.includes(options.match));
    const { measured, refusals, emptyMs } = await measureAll(loaded, asked);
    const ingestion = wanted.includes('ingestion') ? await measureIngestion(folder, loaded) : null;
    const fanOut = wanted.includes('fanout') ? await measureScaling(loaded) : [];
    report(measured, refusals, fanOut, emptyMs);
    if (ingestion !== null) {
      const { nodeProcessorMicros, clickhouseProcessorMicros, eventBytes } = ingestion;
      say(
        `an event of ${rounded(eventBytes)} bytes: node ${rounded(nodeProcessorMicros)} µs, ClickHouse ${rounded(clickhouseProcessorMicros)} µs`,
      );
    }
    const result = {
      commit: commit(),
      machine: here,
      clickhouse: loaded.clickhouse.version,
      load: { before, after: load() },
      events: loaded.events,
      stored: loaded.stored,
      emptyMs,
      measured,
      refusals,
      ingestion,
      fanOut,
    };
    const resultsDir = join(import.meta.dirname, 'results');
    mkdirSync(resultsDir, { recursive: true });
    const path = join(resultsDir, `clickhouse-${new Date().toISOString().replaceAll(':', '-').slice(0, 19)}.json`);
    writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
    say(`written to ${path}`);
  } finally {
    await loaded.clickhouse.close();
  }
}

async function measureAll(loaded: LoadedClickHouse, asked: readonly Question[]) {
  const { clickhouse } = loaded;
  const dataDir = join(folder, 'data');
  await prepareFolder(dataDir, loaded);
  const refusals: Record<string, string> = {};
  const back =
    asked.length === 0 ? new Map<Question, CameBack>() : await allThatCameBack(dataDir, loaded, asked, refusals);
  const measured: MeasuredQuestion[] = [];
  const hand = new HandClient(clickhouse);
  const flags = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  const node = await startNode(dataDir, clickhouse.url, {}, flags);
  try {
    // V8 has not compiled the code of a new service yet.
    for (let n = 0; n < warmCalls; n++) for (const question of back.keys()) await question.ask(node.url);
    for (const [question, whatCameBack] of back) {
      await requireSame(node.url, hand, question);
      const each = await measureQuestion(node, hand, clickhouse, question, whatCameBack, effort);
      const verdict = each.isMet ? '' : '  MISSED';
      say(
        `${each.what}: ${rounded(each.serviceMs)} ms, by hand ${rounded(each.byHandMs)} ms; processor: node ${rounded(each.nodeProcessorMs)} ms, ClickHouse ${rounded(each.clickhouseProcessorMs)} ms, by hand ${rounded(each.byHandProcessorMs)} ms${verdict}`,
      );
      measured.push(each);
    }
    const empty: number[] = [];
    for (let n = 0; n < effort.rounds; n++) {
      const startedMs = performance.now();
      await hand.ask({ sql: 'SELECT 1', parameters: {} });
      empty.push(performance.now() - startedMs);
    }
    return { measured, refusals, emptyMs: median(empty) };
  } finally {
    await node.stop();
    hand.close();
  }
}

async function allThatCameBack(
  dataDir: string,
  { clickhouse }: LoadedClickHouse,
  asked: readonly Question[],
  refusals: Record<string, string>,
): Promise<ReadonlyMap<Question, CameBack>> {
  const proxy = await CountingProxy.before(clickhouse.url);
  const node = await startNode(dataDir, proxy.url);
  try {
    const found = new Map<Question, CameBack>();
    for (const question of asked) {
      const back = await cameBack(node.url, proxy, question);
      if ('refusal' in back) {
        refusals[question.what] = back.refusal;
        say(`${question.what}: ${back.refusal}`);
        continue;
      }
      found.set(question, back);
      if (!options.statements) continue;
      for (const { sql, rows, bytes, readRows } of back.statements)
        say(`${question.what}: ${rows} rows, ${bytes} bytes, ${readRows} rows read\n${sql}`);
    }
    return found;
  } finally {
    await node.stop();
    await proxy.close();
  }
}

async function measureScaling(loaded: LoadedClickHouse): Promise<readonly FanOut[]> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  const asked = allQuestions.filter(({ group, what }) => group === 'endpoints' && what.includes(options.match));
  return await measureFanOut(folder, version, loaded, asked, { rounds: effort.rounds, say });
}

function report(
  measured: readonly MeasuredQuestion[],
  refusals: Readonly<Record<string, string>>,
  fanOut: readonly FanOut[],
  emptyMs: number,
): void {
  const style = { head: [], border: [], compact: true };
  const table = new Table({
    head: [
      'call',
      'ms',
      'by hand',
      'ratio',
      'met',
      'processor: node',
      'ClickHouse',
      'by hand',
      'answer rows',
      'came back',
      'bytes',
    ],
    style,
  });
  for (const group of groups) {
    const lines = measured.filter((each) => each.group === group);
    if (lines.length === 0) continue;
    table.push([{ colSpan: 11, content: group.toUpperCase() }]);
    for (const each of lines) {
      table.push([
        each.what,
        rounded(each.serviceMs),
        rounded(each.byHandMs),
        `${rounded(each.serviceMs / each.byHandMs)}×`,
        each.isMet ? 'yes' : 'NO',
        rounded(each.nodeProcessorMs),
        rounded(each.clickhouseProcessorMs),
        rounded(each.byHandProcessorMs),
        each.answerRows,
        each.fetchedRows,
        each.fetchedBytes,
      ]);
    }
  }
  console.log(table.toString());
  const met = measured.filter(({ isMet }) => isMet).length;
  say(`at most 1.3× or + 6 ms: ${met} of ${measured.length} met; SELECT 1 by hand takes ${rounded(emptyMs)} ms`);
  for (const [what, why] of Object.entries(refusals)) say(`REFUSED ${what}: ${why}`);
  if (fanOut.length === 0) return;
  const scaling = new Table({ head: ['nodes', 'calls', 'calls/s', 'node ms of a call', 'idle ms/s of a node'], style });
  for (const each of fanOut) {
    scaling.push([
      each.nodes,
      each.calls,
      rounded(each.callsPerSecond),
      rounded(each.processorMsPerCall),
      rounded(each.idleMsPerSecond),
    ]);
  }
  console.log(scaling.toString());
  const ratio = scalingRatio(fanOut);
  say(
    `a call costs ${rounded(ratio)}× as much processor time on several nodes as on one${ratio <= ratioMax ? '' : '  MISSED'}`,
  );
}
