import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { SmallDisk } from '../support/smallDisk.ts';
import { attack } from './attackers.ts';
import { checkedCalls } from './calls.ts';
import { edit } from './editor.ts';
import { type FaultScene, faults } from './faults.ts';
import { findLongHolds } from './holds.ts';
import { reconcile } from './reconcile.ts';
import { type FaultDone, soakReport } from './report.ts';
import { type Sample, sample } from './samples.ts';
import { schedule } from './schedule.ts';
import { ship } from './shipper.ts';
import { SoakedService } from './soakedService.ts';
import { SoakRun } from './soakRun.ts';
import { makeEndpoints, makeTokens } from './tokensAndEndpoints.ts';

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now()) },
    faults: { type: 'string', default: Object.keys(faults).join(',') },
    shippers: { type: 'string', default: '4' },
    callers: { type: 'string', default: '3' },
    attackers: { type: 'string', default: '2' },
    'slow-ms': { type: 'string', default: '1000' },
    'disk-mib': { type: 'string', default: '2048' },
    out: { type: 'string' },
  },
});

const names = options.faults.split(',').filter((name) => name !== '');
const unknown = names.filter((name) => faults[name] === undefined);
if (unknown.length > 0)
  throw new Error(`--faults is some of ${Object.keys(faults).join(', ')}; not ${unknown.join(', ')}`);

const durationMs = Number(options.minutes) * 60_000;
/** Work on files that is retried every second until it succeeds, as it must long after the last fault. */
const stillTried =
  /no new file could be created|could not be sealed yet|cannot be put in its place|cannot be opened yet/;
const stillTriedMs = 5_000;
/** When each such work failed first and last, without a longer pause. */
const tried = new Map<string, { readonly firstMs: number; readonly lastMs: number }>();
const causesTold: ReadonlySet<string> = new Set(['internal', 'engine.failed', 'sql.data']);
const callerPauseMs = 250;
const workDir = mkdtempSync(join(tmpdir(), 'logmill-soak-'));
const disk = SmallDisk.mount(Number(options['disk-mib']) * 2 ** 20);
const dataDir = join(disk?.path ?? workDir, 'data');
const logKinds = new Map<string, number>();
const done: FaultDone[] = [];
const samples: Sample[] = [];
let service: SoakedService | undefined;
let isOver = false;

const run = new SoakRun(
  () => {
    if (service === undefined) throw new Error('the service was not started');
    return service;
  },
  { admin: '', query: '', heavy: '', ingest: '', hostile: '', hostileManager: '', restricted: new Map() },
  (sentence) => console.log(sentence),
  Number(options['slow-ms']),
);

service = new SoakedService({
  dataDir,
  workDir,
  disturbances: run.disturbances,
  // Small segments, so that rotation, sealing and merging happen all the time.
  settings: { 'segment-events': '5000', 'log-level': 'info' },
  onLog: (entry) => {
    const kind = String(entry.kind ?? 'unknown');
    logKinds.set(kind, (logKinds.get(kind) ?? 0) + 1);
    const message = String(entry.message ?? entry.msg);
    if (kind === 'warning' && stillTried.test(message)) {
      const nowMs = performance.now();
      const before = tried.get(message);
      const isRetry = before !== undefined && nowMs - before.lastMs < stillTriedMs;
      tried.set(message, { firstMs: isRetry ? before.firstMs : nowMs, lastMs: nowMs });
    }
    // The answers to these do not contain the cause.
    if (kind === 'request.failed' && causesTold.has(String(entry.code))) {
      run.say(
        `log: ${JSON.stringify({ kind, code: entry.code, requestId: entry.requestId, cause: entry.cause }).slice(0, 600)}`,
      );
    }
    if (kind === 'request.failed' && entry.code === 'internal')
      run.find('an internal error was logged', JSON.stringify(entry));
    if (kind === 'warning' || kind === 'file.damaged' || kind === 'engine.killed') {
      run.say(
        `log: ${JSON.stringify({ kind, message: entry.message ?? entry.msg, file: entry.file, reason: entry.reason, cause: entry.cause ?? entry.err }).slice(0, 400)}`,
      );
    }
  },
});

console.log(`npm run soak -- --minutes ${options.minutes} --seed ${options.seed} --faults ${names.join(',')}`);
if (disk === null) console.log('No file system could be mounted: disk-full is skipped, and the default disk is used.');
try {
  await service.start();
  run.tokens = await makeTokens(run, readFileSync(join(dataDir, 'admin-token'), 'utf8').trim());
  await makeEndpoints(run);
  const watching = sample(run, samples, () => isOver);
  const shipping = Array.from({ length: Number(options.shippers) }, (_, sender) =>
    ship(run, sender, options.seed, () => isOver),
  );
  const calling = Array.from({ length: Number(options.callers) }, (_, caller) => call(caller));
  const attacking = Array.from({ length: Number(options.attackers) }, (_, attacker) =>
    attack(run, attacker, options.seed, () => isOver),
  );
  const editing = edit(run, options.seed, () => isOver);
  const scene: FaultScene = {
    run,
    random: new SeededRandom(`${options.seed} faults`),
    dataDir,
    workDir,
    disk,
    background: [],
    damaged: [],
  };
  await breakThings(scene);
  while (performance.now() - run.startedMs < durationMs) await delay(200);
  const endMs = performance.now();
  for (const [message, { firstMs, lastMs }] of tried) {
    const isTried = endMs - lastMs < stillTriedMs && endMs - firstMs >= stillTriedMs;
    if (isTried) run.find('files are not rotated or sealed any more', message);
  }
  isOver = true;
  await Promise.all([...shipping, ...calling, ...attacking, editing, watching]);
  await Promise.all(scene.background);
  run.say('everything is settled; comparing what is stored with what was acknowledged');
  const running = await reconcile(run, 'at the end');
  await service.restart('SIGTERM');
  const restarted = await reconcile(run, 'after a last restart');
  for (const name of scene.damaged) {
    if (existsSync(join(dataDir, 'events', name))) run.say(`${name} is still in its place`);
  }
  await service.end('SIGTERM');
  const holds = service.holds();
  findLongHolds(run, holds);
  const report = soakReport({
    run,
    seed: options.seed,
    minutes: Number(options.minutes),
    done,
    samples,
    holds,
    logKinds,
    running,
    restarted,
    load: loadavg(),
  });
  console.log(report);
  if (options.out !== undefined) writeFileSync(options.out, report);
} finally {
  isOver = true;
  await service.end('SIGKILL');
  disk?.remove();
  rmSync(workDir, { recursive: true, force: true });
}
process.exit(run.findings.length === 0 ? 0 : 1);

async function call(caller: number): Promise<void> {
  const random = new SeededRandom(`${options.seed} caller ${caller}`);
  while (!isOver) {
    await random.weighted(checkedCalls)(run, random);
    await delay(callerPauseMs * (0.5 + random.next()));
  }
}

async function breakThings(scene: FaultScene): Promise<void> {
  for (const { name, atMs } of schedule(names, durationMs, options.seed)) {
    while (performance.now() - run.startedMs < atMs) await delay(100);
    run.say(`${name} ...`);
    const atSeconds = Math.round((performance.now() - run.startedMs) / 1000);
    const outcome = (await faults[name]?.(scene)) ?? '';
    run.say(`${name}: ${outcome}`);
    done.push({ name, atSeconds, outcome });
  }
}
