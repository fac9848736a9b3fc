import { copyFileSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../../src/demo/seededRandom.ts';
import { damageFile } from '../support/damageFile.ts';
import { readSlowly, sendSlowly } from '../support/slowClient.ts';
import type { SmallDisk } from '../support/smallDisk.ts';
import { batchesOfFile } from './eventsOfFile.ts';
import type { SoakedService } from './soakedService.ts';
import type { SoakRun } from './soakRun.ts';

export interface FaultScene {
  readonly run: SoakRun;
  readonly random: SeededRandom;
  readonly dataDir: string;
  readonly workDir: string;
  /** Null if none could be created. */
  readonly disk: SmallDisk | null;
  /** Work that outlasts the fault, awaited at the end. */
  readonly background: Promise<void>[];
  /** Names of the files that were damaged on purpose. */
  readonly damaged: string[];
}

/** Causes a fault and ends it; returns a sentence for the report. */
export type Fault = (scene: FaultScene) => Promise<string>;

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const killService: Fault = async ({ run }) => {
  const { readyMs } = await run.service.restart('SIGKILL');
  return `ready again after ${seconds(readyMs)}`;
};

const terminate: Fault = async ({ run }) => {
  const { endedMs, readyMs } = await run.service.restart('SIGTERM');
  return `ended after ${seconds(endedMs)}, ready again after ${seconds(readyMs)}`;
};

const killEngine: Fault = async ({ run }) => await killEngineOf(run, run.service);

/** Kills the engine of a node and waits until it is back. */
export async function killEngineOf(run: SoakRun, node: SoakedService): Promise<string> {
  const { enginePid } = node;
  if (enginePid === null) return 'there was no engine';
  const isOver = run.disturbances.begin('engine-down', node);
  const fromMs = performance.now();
  try {
    process.kill(enginePid, 'SIGKILL');
  } catch {
    // It ended by itself before; that is reported where it is logged.
  }
  while (node.enginePid === enginePid) {
    if (performance.now() - fromMs > 60_000) {
      run.find('the engine did not come back', 'not within a minute after kill -9');
      break;
    }
    await delay(20);
  }
  isOver();
  const backMs = performance.now() - fromMs;
  // A query that is running when two processes end counts as the cause (502); the next fault must not be that second
  // end.
  await delay(5_000);
  return `there again after ${seconds(backMs)}`;
}

const jump =
  (hours: number): Fault =>
  async ({ run, random }) => {
    const isOver = run.disturbances.begin('clock');
    run.service.setClock(hours * 3_600_000);
    await delay(random.integer(15, 25) * 1000);
    run.service.setClock(0);
    // By then, results that were computed under the other clock have been replaced.
    await delay(12_000);
    isOver();
    return `${hours} hours, for a while`;
  };

const diskFull: Fault = async ({ run, disk, random }) => {
  if (disk === null) return 'left out: no file system could be mounted';
  const isOver = run.disturbances.begin('disk-full');
  const before = run.ledger.count('acknowledged').batches;
  disk.fill();
  await delay(random.integer(10, 15) * 1000);
  const meanwhile = run.ledger.count('acknowledged').batches - before;
  disk.empty();
  const fromMs = performance.now();
  const acknowledged = run.ledger.count('acknowledged').batches;
  while (run.ledger.count('acknowledged').batches === acknowledged) {
    if (performance.now() - fromMs > 60_000) {
      run.find('nothing was stored after the disk had room again', 'not within a minute');
      break;
    }
    await delay(50);
  }
  isOver();
  return `${meanwhile} batches acknowledged meanwhile, the first one after it within ${seconds(performance.now() - fromMs)}`;
};

/** Kills the service on a full disk, starts it there, and only then frees space. */
const diskFullRestart: Fault = async ({ run, disk }) => {
  if (disk === null) return 'left out: no file system could be mounted';
  const isOver = run.disturbances.begin('disk-full');
  disk.fill();
  const { readyMs } = await run.service.restart('SIGKILL');
  await delay(5_000);
  disk.empty();
  await delay(2_000);
  isOver();
  return `ready on the full disk after ${seconds(readyMs)}`;
};

const slowReaderMsMax = 180_000;

const slowReader: Fault = async ({ run, background }) => {
  const url = await run.service.address;
  const { pid } = run.service;
  const sql = 'select repeat(event_message, 250) as m from edge_logs limit 1000';
  const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: 'soakalder', sql })}`;
  const startedMs = performance.now();
  background.push(
    ...[1, 2].map(async (reader) => {
      const id = `slow-reader-${Math.round(startedMs)}-${reader}`;
      const head = [
        `GET ${path} HTTP/1.1`,
        `Host: ${new URL(url).host}`,
        `X-API-KEY: ${run.tokens.query}`,
        `X-Request-Id: ${id}`,
      ];
      const elapsedMs = () => performance.now() - startedMs;
      // An ended service serves no one.
      const wasLet = () => run.service.completed.has(id) || run.service.pid !== pid;
      await readSlowly(url, head, 1000, () => wasLet() || elapsedMs() > slowReaderMsMax);
      run.say(`slow reader: ${run.service.completed.get(id) ?? 'still served'} after ${seconds(elapsedMs())}`);
      if (!wasLet()) run.find('a reader of one byte a second was served for three minutes', id);
    }),
  );
  return 'two readers of one byte a second began';
};

const slowSender: Fault = async ({ run, background }) => {
  const url = await run.service.address;
  const body = JSON.stringify([{ event_message: 'soakalder/slow/r0/1/x', project: 'soakalder' }]).padEnd(10_000);
  const head = [
    'POST /api/logs?source=edge_logs HTTP/1.1',
    `Host: ${new URL(url).host}`,
    `X-API-KEY: ${run.tokens.ingest}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  background.push(
    ...[1, 2, 3].map(async () => {
      const { wasEnded, afterMs, answer } = await sendSlowly(url, head, body, 1000, 240_000);
      run.say(
        `slow sender: ${wasEnded ? 'ended' : 'still heard'} after ${seconds(afterMs)}: ${answer.split('\r\n')[0]}`,
      );
      if (!wasEnded) run.find('a sender of one byte a second was heard for four minutes', '');
    }),
  );
  return 'three senders of one byte a second began';
};

const numbers = 'unnest(generate_array(1, 100000))';
const misbehaving = [
  "select length(string_agg(repeat(event_message, 2000), '')) as n from edge_logs",
  'select array_agg(a.event_message || b.event_message) as s from edge_logs a, edge_logs b',
  `select count(*) as n from ${numbers} a cross join ${numbers} b where mod(a * b, 7) = 3`,
  'select count(*) as n from edge_logs a, edge_logs b, edge_logs c where a.id || b.id < c.id',
  'select a.id from edge_logs a, edge_logs b order by md5(a.id || b.id)',
] as const;

/** Answers that a misbehaving query may get, apart from overload. */
const endings = [
  '200',
  '504 query.timeout',
  '504 query.memory',
  '400 sql.data',
  '400 sql.too_complex',
  '502 engine.failed',
  '503 engine.restarting',
];

const greedy: Fault = async ({ run, random }) => await sendGreedy(run, random);

/** Sends three queries that misbehave, and waits for their answers. */
export async function sendGreedy(run: SoakRun, random: SeededRandom): Promise<string> {
  const isOver = run.disturbances.begin('greedy');
  await Promise.all(
    Array.from({ length: 3 }, async () => {
      const parameters = new URLSearchParams({ project: 'soakalder', sql: random.pick(misbehaving) });
      const path = `/api/endpoints/query/logs.all?${parameters}`;
      await run.send('queries that misbehave', path, { headers: { 'x-api-key': run.tokens.heavy } }, endings);
    }),
  );
  isOver();
  return 'three queries that fill memory or do not end';
}

/** The smallest sealed file; its batches are recorded first. */
async function chooseSealed({
  run,
  dataDir,
  workDir,
}: FaultScene): Promise<{ readonly name: string; readonly path: string } | null> {
  const folder = join(dataDir, 'events');
  const sealed = readdirSync(folder).filter((name) => /^sealed-\d+\.duckdb$/.test(name));
  const [name] = sealed.sort((a, b) => statSync(join(folder, a)).size - statSync(join(folder, b)).size);
  if (name === undefined) return null;
  const path = join(folder, name);
  const copy = join(workDir, name);
  copyFileSync(path, copy);
  const batches = await batchesOfFile(copy);
  rmSync(copy);
  for (const batch of batches) run.ledger.excuse(batch);
  run.say(`${name} holds ${batches.length} batches`);
  return { name, path };
}

const damageStopped: Fault = async (scene) => {
  const { run, damaged } = scene;
  const isOver = run.disturbances.begin('damage');
  let done = 'there was no sealed file';
  await run.service.restart('SIGTERM', async () => {
    const file = await chooseSealed(scene);
    if (file === null) return;
    damaged.push(file.name);
    damageFile(file.path, 4096);
    done = `${file.name} was damaged while the service was stopped`;
  });
  await delay(10_000);
  isOver();
  return done;
};

const damageRunning: Fault = async (scene) => {
  const { run, damaged } = scene;
  const isOver = run.disturbances.begin('damage');
  const file = await chooseSealed(scene);
  if (file === null || !existsSync(file.path)) return 'there was no sealed file';
  damaged.push(file.name);
  damageFile(file.path, 16_384, 12_288);
  await delay(20_000);
  isOver();
  return `${file.name} was damaged while the service ran`;
};

/** By name, as `--faults` takes them. */
export const faults: Readonly<Record<string, Fault>> = {
  'kill-service': killService,
  terminate,
  'kill-engine': killEngine,
  'clock-forward': jump(2),
  'clock-back': jump(-2),
  'slow-reader': slowReader,
  'slow-sender': slowSender,
  greedy,
  'disk-full': diskFull,
  'disk-full-restart': diskFullRestart,
  'damage-running': damageRunning,
  'damage-stopped': damageStopped,
};
