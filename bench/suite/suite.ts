import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from './figure.ts';
import { commit, load, loadWarning, machine } from './machine.ts';
import { type Effort, PartContext } from './partContext.ts';
import { measureBesidePostgres } from './parts/besidePostgres.ts';
import { measureCachedAnswers } from './parts/cachedAnswers.ts';
import { measureCallerQueries } from './parts/callerQueries.ts';
import { measureDay } from './parts/dayOfDashboards.ts';
import { measureGrowth } from './parts/growth.ts';
import { measureIngestion } from './parts/ingestion.ts';
import { measureMixedLoad } from './parts/mixedLoad.ts';
import { measureParallelClients } from './parts/parallelClients.ts';
import { measureStartUp } from './parts/startUp.ts';
import { measureStoredEndpoints } from './parts/storedEndpoints.ts';
import { measureUnchangedAnswers } from './parts/unchangedAnswers.ts';
import { type PreparedEvents, prepareEvents } from './preparedEvents.ts';
import { newRunFolder, sharedFolder } from './scratch.ts';
import type { SuiteResult } from './suiteResult.ts';
import { tablesOf } from './tables.ts';

/**
 * Runs the whole suite: every part on folders of each size, one table, and the result as JSON. Compared figures are
 * measured in alternating rounds, so that ratios hold on a busy machine. Times hold only on a quiet one.
 */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000,5000000' },
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: true },
    output: { type: 'string' },
  },
  allowNegative: true,
});

const thorough: Effort = {
  rounds: 15,
  warmRounds: 2,
  seconds: 2.5,
  starts: 5,
  sentEvents: 240_000,
  day: { sections: 5, seconds: 60 },
};
/** One round of everything, which only shows that the suite works. */
const quick: Effort = {
  rounds: 1,
  warmRounds: 0,
  seconds: 0.1,
  starts: 1,
  sentEvents: 8000,
  day: { sections: 1, seconds: 2 },
};

const startedMs = performance.now();
const say = (text: string) => {
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}  ${text}`);
};

/** Parts by name: measured once, for each size of folder, for the smallest one only, or over all sizes together. */
const parts: Readonly<
  Record<string, (context: PartContext, folders: readonly PreparedEvents[]) => Promise<readonly Figure[]>>
> = {
  ingestion: measureIngestion,
  start: eachSize(measureStartUp),
  endpoints: eachSize(measureStoredEndpoints),
  callers: eachSize(measureCallerQueries),
  parallel: eachSize(measureParallelClients),
  cached: onFewest(measureCachedAnswers),
  unchanged: onFewest(measureUnchangedAnswers),
  mixed: async (context, folders) => {
    const most = folders.at(-1);
    return most === undefined ? [] : await measureMixedLoad(context, most);
  },
  growth: measureGrowth,
  day: options.postgres ? eachSize(measureDay) : async () => [],
  postgres: options.postgres ? onFewest(measureBesidePostgres) : async () => [],
};

type Measure = (context: PartContext, prepared: PreparedEvents) => Promise<readonly Figure[]>;

function onFewest(
  measure: Measure,
): (context: PartContext, folders: readonly PreparedEvents[]) => Promise<readonly Figure[]> {
  return async (context, [fewest]) => (fewest === undefined ? [] : await measure(context, fewest));
}

function eachSize(
  measure: Measure,
): (context: PartContext, folders: readonly PreparedEvents[]) => Promise<readonly Figure[]> {
  return async (context, folders) => {
    const figures: Figure[] = [];
    for (const prepared of folders) figures.push(...(await measure(context, prepared)));
    return figures;
  };
}

const folder = newRunFolder();
try {
  const result = await run();
  console.log(tablesOf(result));
  for (const failure of result.failures) say(`FAILED ${failure}`);
  process.exitCode = result.failures.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function run(): Promise<SuiteResult> {
  const startedAt = new Date().toISOString().slice(0, 19);
  const file = `suite-${startedAt.replaceAll(':', '-')}.json`;
  const path = options.output ?? join(import.meta.dirname, '..', 'results', file);
  mkdirSync(dirname(path), { recursive: true });
  const here = await machine();
  const measuredCommit = commit();
  const loadBefore = load();
  const warning = loadWarning(loadBefore, here);
  if (warning !== null) say(warning);
  const wanted = options.only?.split(',') ?? Object.keys(parts);
  const unknown = wanted.filter((name) => !(name in parts));
  if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}; there are ${Object.keys(parts).join(', ')}`);
  const sizes = options.events.split(',').map(Number);
  if (!sizes.every((size) => Number.isSafeInteger(size) && size > 0))
    throw new Error('--events takes numbers, as in 1000000,5000000');
  const context = new PartContext(folder, options.quick ? quick : thorough, say);
  const folders: PreparedEvents[] = [];
  for (const events of sizes.toSorted((a, b) => a - b)) folders.push(await prepareEvents(sharedFolder, events, say));
  const figures: Figure[] = [];
  const failures: string[] = [];
  let result = resultNow();
  for (const [name, measure] of Object.entries(parts)) {
    if (!wanted.includes(name)) continue;
    say(`measuring: ${name}`);
    context.returnToPresent();
    try {
      figures.push(...(await measure(context, folders)));
    } catch (cause) {
      // Keep the figures of the other parts.
      console.error(cause);
      failures.push(`${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
    // Write after each part, so that an interrupted run keeps its figures.
    result = resultNow();
    writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
  }
  say(`written to ${path}`);
  return result;

  function resultNow(): SuiteResult {
    return {
      startedAt,
      minutes: (performance.now() - startedMs) / 60_000,
      commit: measuredCommit,
      machine: here,
      load: { before: loadBefore, after: load() },
      events: folders.map(({ events, loadSeconds, mergeSeconds }) => ({ events, loadSeconds, mergeSeconds })),
      figures,
      failures,
    };
  }
}
