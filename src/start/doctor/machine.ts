import { allMemoryBytes } from '../../engines/duckdb/settings.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, gibibytes, ok, warn } from './finding.ts';

/** What the machine, or the container, gives this process. */
export interface Machine {
  /** Such as `20.20.2`. */
  readonly nodeVersion: string;
  /** What the processes may use together, bytes: the machine's memory, or the container's bound where that is less. */
  readonly memoryBytes: number;
  readonly processors: number;
  /** Files that a process may have open; null where it is not known. */
  readonly openFilesMax: number | null;
}

/** In package.json as "engines". */
const nodeMin = [20, 19] as const;
/** Main process, stacks, caches of the system: what the service takes besides its engine's memory. */
const besidesEngineBytes = 384 * 2 ** 20;
/** Event files, connections, the store: with a year of merged files and a few hundred clients. */
const openFilesWanted = 4096;

export function checkMachine(machine: Machine, settings: Settings): readonly Finding[] {
  return [node(machine), memory(machine, settings), threads(machine, settings), openFiles(machine)];
}

function node({ nodeVersion }: Machine): Finding {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isNewEnough = major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1]);
  if (isNewEnough) return ok('node', `Node.js ${nodeVersion} is new enough.`);
  return fail('node', `Node.js ${nodeVersion} is too old.`, `Install Node.js ${nodeMin.join('.')} or newer.`);
}

function memory({ memoryBytes }: Machine, settings: Settings): Finding {
  const engine = allMemoryBytes(settings.memory);
  const needed = engine + settings.cacheBytes + besidesEngineBytes;
  const about = `the engine's processes may use ${gibibytes(engine)} of ${gibibytes(memoryBytes)}`;
  if (needed <= memoryBytes) return ok('memory', `There is memory enough: ${about}.`);
  return warn(
    'memory',
    `Memory is short: ${about}, and the service takes about ${gibibytes(needed - engine)} besides.`,
    'Lower LOGMILL_MEMORY, or give the machine or container more.',
  );
}

function threads({ processors }: Machine, settings: Settings): Finding {
  if (settings.engineThreads <= processors) {
    return ok('threads', `The engine's ${settings.engineThreads} threads have ${processors} processors.`);
  }
  return warn(
    'threads',
    `The engine has ${settings.engineThreads} threads on ${processors} processors, which is slower than as many as there are.`,
    `Set LOGMILL_ENGINE_THREADS to ${processors} or less.`,
  );
}

function openFiles({ openFilesMax }: Machine): Finding {
  if (openFilesMax === null) return ok('open files', 'How many files a process may have open is not known here.');
  if (openFilesMax >= openFilesWanted) return ok('open files', `A process may have ${openFilesMax} files open.`);
  return warn(
    'open files',
    `A process may have only ${openFilesMax} files open.`,
    `Raise the limit to ${openFilesWanted} or more (ulimit -n, LimitNOFILE).`,
  );
}
