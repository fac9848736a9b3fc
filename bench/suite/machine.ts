import { execFileSync } from 'node:child_process';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { DuckDBInstance } from '@duckdb/node-api';

/** Above this load per core, other work distorts the figures. */
const quietLoadPerCore = 0.3;
/** Steps of the loop that measures the current speed of the machine, and how often it runs. */
const calibrationSteps = 60_000;
const calibrationCalls = 3000;

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly duckdb: string;
}

/** How busy the machine was. */
export interface Load {
  /** Processes that ran or waited to run, mean of the last minute. */
  readonly processes: number;
  /** Time of a fixed loop on one thread. Other work on the machine makes it longer. */
  readonly loopMs: number;
}

export async function machine(): Promise<Machine> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const version = (await connection.runAndReadAll('SELECT version()')).getRows()[0]?.[0];
  connection.closeSync();
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    node: process.version,
    duckdb: String(version),
  };
}

export function load(): Load {
  // In short calls, because a long loop can go on in slow code after faster code was made of it.
  for (let call = 0; call < 100; call++) fixedSum();
  const startedMs = performance.now();
  for (let call = 0; call < calibrationCalls; call++) fixedSum();
  const loopMs = performance.now() - startedMs;
  return { processes: loadavg()[0] ?? Number.NaN, loopMs };
}

function fixedSum(): void {
  let sum = 0;
  for (let n = 0; n < calibrationSteps; n++) sum = (sum + n * 31) | 0;
  if (Number.isNaN(sum)) throw new Error('the sum of integers is an integer');
}

/** A warning if the machine is too busy for absolute times, else null. */
export function loadWarning({ processes }: Load, { cores }: Machine): string | null {
  if (processes <= cores * quietLoadPerCore) return null;
  return `The machine is busy (load ${processes.toFixed(1)} on ${cores} cores): read ratios, not times.`;
}

/** The measured commit, followed by "+" if files differ from it. */
export function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '--', '../../src') === '' ? '' : '+');
  } catch {
    return 'unknown';
  }
}
