import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeededRandom } from '../../src/demo/seededRandom.ts';
import { attack } from './attackers.ts';
import { checkedCalls } from './calls.ts';
import { edit } from './editor.ts';
import { follow } from './followers.ts';
import { findLongHolds } from './holds.ts';
import { MachineStops } from './machineStops.ts';
import { oneService } from './oneService.ts';
import { reconcile } from './reconcile.ts';
import { type FaultDone, soakReport } from './report.ts';
import { type Sample, sample } from './samples.ts';
import { severalNodes } from './severalNodes.ts';
import { ship } from './shipper.ts';
import { SoakRun } from './soakRun.ts';
import type { SoakTarget } from './soakTarget.ts';
import { makeEndpoints, makeTokens } from './tokensAndEndpoints.ts';
import { WatchedLog } from './watchedLog.ts';

const { values: options } = parseArgs({
  options: {
    cluster: { type: 'boolean', default: false },
    minutes: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now()) },
    faults: { type: 'string' },
    shippers: { type: 'string', default: '4' },
    callers: { type: 'string', default: '3' },
    followers: { type: 'string' },
    attackers: { type: 'string' },
    'slow-ms': { type: 'string' },
    'disk-mib': { type: 'string', default: '2048' },
    nodes: { type: 'string', default: '3' },
    'spread-ms': { type: 'string', default: '1000' },
    'stale-seconds': { type: 'string', default: '10' },
    out: { type: 'string' },
  },
});
const { cluster: isCluster, seed } = options;

// The stand-in of ClickHouse runs one statement at a time, so in a cluster an attack would delay all others.
const attackers = Number(options.attackers ?? (isCluster ? 0 : 2));
// On one service, rows of damaged files may be missing in tails.
const followers = Number(options.followers ?? (isCluster ? 2 : 0));
const slowMs = Number(options['slow-ms'] ?? (isCluster ? Number.POSITIVE_INFINITY : 1000));
const durationMs = Number(options.minutes) * 60_000;
const staleSeconds = Number(options['stale-seconds']);
const callerPauseMs = 250;
const workDir = mkdtempSync(join(tmpdir(), 'logmill-soak-'));
const done: FaultDone[] = [];
let target: SoakTarget | undefined;
let isOver = false;

const machine = new MachineStops();
const run = new SoakRun({
  nodes: () => target?.nodes ?? [],
  say: (sentence) => console.log(sentence),
  slowMs,
  stops: machine.stops,
  ...(isCluster ? { spreadMs: Number(options['spread-ms']), staleMs: staleSeconds * 1000 } : {}),
});
const log = new WatchedLog(run);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void Promise.resolve(target?.close()).finally(() => process.exit(1)));
}

console.log(`npm run soak -- ${process.argv.slice(2).join(' ')}, seed ${seed}`);
try {
  const faultNames = options.faults?.split(',').filter((name) => name !== '');
  const common = { run, log, workDir, faultNames, durationMs, seed };
  target = isCluster
    ? await severalNodes({ ...common, nodes: Number(options.nodes), staleSeconds })
    : oneService({ ...common, diskBytes: Number(options['disk-mib']) * 2 ** 20 });
  run.tokens = await makeTokens(run, await target.start());
  await makeEndpoints(run);
  // So that every node knows them.
  await delay(run.spreadMs());
  const watched = target.nodes.map((node) => ({ node, samples: [] as Sample[] }));
  const ended = () => isOver;
  const working = [
    ...watched.map(({ node, samples }) => sample(node, run.startedMs, samples, ended)),
    ...Array.from({ length: Number(options.shippers) }, (_, sender) => ship(run, sender, seed, ended)),
    ...Array.from({ length: Number(options.callers) }, (_, caller) => call(caller)),
    ...Array.from({ length: followers }, (_, follower) => follow(run, follower, seed, ended)),
    ...Array.from({ length: attackers }, (_, attacker) => attack(run, attacker, seed, ended)),
    edit(run, seed, ended),
  ];
  await breakThings(target);
  while (performance.now() - run.startedMs < durationMs) await delay(200);
  for (const message of log.stillTried()) run.find('files are not rotated or sealed any more', message);
  isOver = true;
  await Promise.all(working);
  await target.settled();
  await delay(run.spreadMs());
  run.say('everything is settled; comparing what is stored with what was acknowledged');
  const running = await reconcile(run, 'at the end');
  await Promise.all(target.nodes.map((node) => node.restart('SIGTERM')));
  const restarted = await reconcile(run, 'after a last restart');
  await Promise.all(target.nodes.map((node) => node.end('SIGTERM')));
  const holds = target.nodes.flatMap((node) => node.holds());
  findLongHolds(run, holds, machine.stops);
  const report = soakReport({
    run,
    seed,
    minutes: Number(options.minutes),
    done,
    samples: watched.map(({ samples }) => samples),
    holds,
    stops: machine.isWatching ? machine.stops : null,
    logKinds: log.kinds,
    running,
    restarted,
    load: loadavg(),
  });
  console.log(report);
  if (options.out !== undefined) writeFileSync(options.out, report);
} finally {
  isOver = true;
  machine.close();
  await target?.close();
  rmSync(workDir, { recursive: true, force: true });
}
process.exit(run.findings.length === 0 ? 0 : 1);

async function call(caller: number): Promise<void> {
  const random = new SeededRandom(`${seed} caller ${caller}`);
  while (!isOver) {
    await random.weighted(checkedCalls)(run, random);
    await delay(callerPauseMs * (0.5 + random.next()));
  }
}

async function breakThings({ plan, cause }: SoakTarget): Promise<void> {
  for (const { name, atMs } of plan) {
    while (performance.now() - run.startedMs < atMs) await delay(100);
    run.say(`${name} ...`);
    const atSeconds = Math.round((performance.now() - run.startedMs) / 1000);
    const outcome = await cause(name);
    run.say(`${name}: ${outcome}`);
    done.push({ name, atSeconds, outcome });
  }
}
