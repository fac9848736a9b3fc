import { readdirSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { constants, getPriority } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { enginesOf } from '../../../../test/support/enginesOf.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { RunCaller } from '../../../ports/queryEngine.ts';
import type { TablePart } from '../process/protocol.ts';
import type { Reads } from '../query/statementRunner.ts';
import { edgeBatch, never, TestStorage } from '../storage.fixture.ts';
import { processorTimeMs } from './processorTime.ts';

let test: TestStorage;
beforeAll(async () => {
  test = await TestStorage.open({ threads: 2, functionWaitMs: 60_000 });
});
afterAll(async () => {
  await test.close();
});

/** Keeps the JavaScript thread busy for a second or two, within its limits. */
const heavy = `SELECT logmill_regexp_instr(repeat('a', 45000), '(?:[ab]?[ac]?[ad]?){300}[^a]', 1, 1, 0)`;
/** Runs in a function process for hours, most of it in the engine, which can be interrupted. */
const endless = `SELECT count(*) FROM range(10000000) a(i), range(10000000) b(j) WHERE (i * j) % 7 = logmill_regexp_instr('ab', 'b', 1, 1, 0)`;
const light = `SELECT logmill_regexp_instr('ab', 'b', 1, 1, 0)`;

/** Starts a statement, which `cancel` ends. */
function run(sql: string, caller?: RunCaller) {
  const gone = new AbortController();
  let hasEnded = false;
  const working = test.storage.statements
    .boundTo(null, null, undefined, caller)
    .runValues(sql, gone.signal)
    .finally(() => {
      hasEnded = true;
    });
  // `cancel` reports the error.
  working.catch(() => undefined);
  return {
    hasEnded: () => hasEnded,
    cancel: async () => {
      gone.abort(new ServiceError('query.timeout', 'over'));
      await expect(working).rejects.toBe(gone.signal.reason);
    },
  };
}

/** Of the engine and of the processes that run functions. */
const processIds = () => enginesOf(process.pid);

const every: TablePart = { table: 'edge_logs', projects: null, fromMicros: null, toMicros: null };

/** What a statement over all segments reads from each. */
function reading(part: Partial<TablePart>): { readonly from: string; readonly reads: Reads; readonly end: () => void } {
  const lease = test.storage.files.lease();
  const files = lease.files.filter((file) => file.hasTable('edge_logs'));
  const arms = files.map(({ alias }) => `SELECT id, project FROM "${alias}"."edge_logs"`);
  return {
    from: `(${arms.join(' UNION ALL ')})`,
    reads: () => files.map((file) => ({ file, part: { ...every, ...part } })),
    end: () => lease.release(),
  };
}

const hashed = async (part: Partial<TablePart> = {}): Promise<string> => {
  const { from, reads, end } = reading(part);
  try {
    const sql = `SELECT string_agg(id, ' ' ORDER BY id), count(DISTINCT logmill_farm_fingerprint(encode(id))) FROM ${from}`;
    const [row] = await test.storage.statements.boundTo(null).runValues(sql, never, reads);
    return `${row?.[0]}: ${row?.[1]}`;
  } finally {
    end();
  }
};

it('keeps neither events nor other statements waiting for work in JavaScript', async () => {
  const { statements, log } = test.storage;
  expect(await statements.runValues(light, never)).toEqual([['2']]);
  let isDone = false;
  const working = statements.runValues(heavy, never).finally(() => {
    isDone = true;
  });
  let rounds = 0;
  for (; !isDone; rounds++) {
    await log.append(edgeBatch([`beside ${rounds}`], { project: 'beside' }));
    expect(await statements.runValues('SELECT 1', never)).toEqual([[1]]);
  }
  expect(await working).toEqual([['0']]);
  expect(rounds).toBeGreaterThan(5);
});

it.skipIf(process.platform !== 'linux')('has all threads of both processes yield to the service', async () => {
  expect(await test.storage.statements.runValues(light, never)).toEqual([['2']]);
  const processes = processIds();
  const lowest = constants.priority.PRIORITY_LOW;
  const steps = processes.map((pid) => {
    const threads = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
    expect(new Set(threads).size).toBe(1);
    return (threads[0] ?? 0) - getPriority();
  });
  expect(new Set(steps)).toEqual(new Set([2, 5].map((step) => Math.min(step, lowest - getPriority()))));
});

it.skipIf(process.platform !== 'linux')('ends alone where it does not stop for its caller', async () => {
  const { statements, enginePid } = test.storage;
  await statements.runValues(light, never);
  const gone = new AbortController();
  const before = test.observations.length;
  const others = processIds().filter((pid) => pid !== enginePid);
  const usedMs = () => others.map((pid) => processorTimeMs(pid) ?? 0);
  const usedBefore = usedMs();
  let blamed = 0;
  const caller = { tenant: 'leaves', blamed: () => blamed++ };
  const working = statements.boundTo(null, null, undefined, caller).runValues(heavy, gone.signal);
  working.catch(() => undefined);
  const isAtWork = () => usedMs().some((ms, n) => ms - (usedBefore[n] ?? 0) >= 200);
  await expect.poll(isAtWork).toBe(true);
  gone.abort(new ServiceError('query.timeout', 'over'));
  await expect(working).rejects.toMatchObject({ code: 'query.timeout' });
  expect(await statements.runValues(light, never)).toEqual([['2']]);
  const killed = test.observations.slice(before).filter(({ kind }) => kind === 'engine.killed');
  expect(killed).toHaveLength(1);
  expect(killed.every((each) => each.kind === 'engine.killed' && each.pid !== enginePid)).toBe(true);
  expect(test.storage.enginePid).toBe(enginePid);
  // Nobody else lost anything by it.
  expect(blamed).toBe(0);
});

it('reads the copies of its own folder, although the name of the folder is a pattern for that of another one', async () => {
  expect(test.dataDir).toContain('[p]*');
  const others = test.dataDir.replace('[p]*', 'p');
  for (const place of [0, 1, 2, 3]) {
    const folder = join(others, 'events', 'spill-functions', `${place}-copies`);
    await mkdir(folder, { recursive: true });
    for (let copy = 0; copy < 50; copy++) await writeFile(join(folder, `copy-${copy}.parquet`), 'of somebody else');
  }
  try {
    await test.storage.log.append(edgeBatch(['mine'], { project: 'pattern' }));
    expect(await hashed({ projects: ['pattern'] })).toMatch(/mine.*: \d+$/);
  } finally {
    await rm(others, { recursive: true });
  }
});

it('sees what is stored wherever it lies, and of files that are written to only the rows that it can want', async () => {
  const { log } = test.storage;
  const spilled = async () =>
    await readdir(join(test.eventsDir, 'spill-functions'), { recursive: true }).catch(() => []);
  await test.storage.sealNow();
  await log.append(edgeBatch(['a1', 'a2'], { project: 'a' }));
  await log.append(edgeBatch(['b1'], { project: 'b', timestampMicros: 1_700_000_001_000_000 }));
  expect(await hashed({ projects: ['a'] })).toMatch(/^a1 a2 beside 0 .*: \d+$/);
  expect(await hashed({ fromMicros: '1700000000500000' })).toMatch(/^b1 beside 0/);
  await test.storage.sealNow();
  await log.append(edgeBatch(['a3'], { project: 'a' }));
  expect(await hashed({ projects: ['a'] })).toMatch(/^a1 a2 a3 b1 beside 0/);
  await test.storage.mergeNow();
  expect(await hashed()).toMatch(/^a1 a2 a3 b1 beside 0/);
  expect((await spilled()).filter((name) => name.includes('copy-'))).toEqual([]);
});

it('is there again after either process was killed', async () => {
  const before = await hashed();
  await test.killEngine();
  expect(await hashed()).toBe(before);
  const started = test.observations.filter(({ kind }) => kind === 'engine.started');
  const functionPids = started.flatMap((each) => (each.kind === 'engine.started' ? [each.pid] : []));
  const pid = functionPids.find((each) => each !== test.storage.enginePid && isAlive(each));
  process.kill(pid ?? 0, 'SIGKILL');
  expect(await hashed()).toBe(before);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('keeps the statements of one tenant in one process, so that another has one without waiting', async () => {
  const { statements } = test.storage;
  const of = (tenant: string) => statements.boundTo(null, null, undefined, { tenant });
  await Promise.all([of('a').runValues(light, never), of('b').runValues(light, never)]);
  const greedy = ['a', 'a'].map((tenant) => run(endless, { tenant }));
  for (let i = 0; i < 3; i++) expect(await of('b').runValues(light, never)).toEqual([['2']]);
  expect(greedy.map(({ hasEnded }) => hasEnded())).toEqual([false, false]);
  await Promise.all(greedy.map(({ cancel }) => cancel()));
});

it('runs a light statement of a third tenant beside two that take all processes for hours', async () => {
  const greedy = ['greedy 1', 'greedy 2'].map((tenant) => run(endless, { tenant }));
  const ofThird = test.storage.statements.boundTo(null, null, undefined, { tenant: 'light' });
  expect(await ofThird.runValues(light, never)).toEqual([['2']]);
  expect(greedy.map(({ hasEnded }) => hasEnded())).toEqual([false, false]);
  await Promise.all(greedy.map(({ cancel }) => cancel()));
});

it('ends a statement that had to yield with its answer', async () => {
  const { statements } = test.storage;
  const of = (tenant: string) => statements.boundTo(null, null, undefined, { tenant });
  const greedy = ['long 1', 'long 2'].map((tenant) => of(tenant).runValues(heavy, never));
  expect(await of('short').runValues(light, never)).toEqual([['2']]);
  expect(await Promise.all(greedy)).toEqual([[['0']], [['0']]]);
});
