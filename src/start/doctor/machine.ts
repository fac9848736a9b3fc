import { allMemoryBytes } from '../../engines/duckdb/settings.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, gibibytes, ok, warn } from './finding.ts';

/** Resources that the machine or the container gives to this process. */
export interface Machine {
  /** Such as `20.20.2`. */
  readonly nodeVersion: string;
  /**
   * Bytes that all processes together may use: the memory of the machine, or the limit of the container if that is
   * less.
   */
  readonly memoryBytes: number;
  readonly processors: number;
  /** Files that a process may have open; null if unknown. */
  readonly openFilesMax: number | null;
}

/** In package.json as "engines". */
const nodeMin = [20, 19] as const;
/** Memory of the service without its engine: main process, stacks, caches of the system. */
const besidesEngineBytes = 384 * 2 ** 20;
/**
 * Enough for the event files, connections and store of a service with a year of merged files and a few hundred clients.
 */
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
  if (needed <= memoryBytes) return ok('memory', `There is enough memory: ${about}.`);
  return warn(
    'memory',
    `There is too little memory: ${about}, and the service needs about ${gibibytes(needed - engine)} more.`,
    'Lower LOGMILL_MEMORY, or give the machine or container more memory.',
  );
}

function threads({ processors }: Machine, settings: Settings): Finding {
  if (settings.engineThreads <= processors) {
    return ok('threads', `Processors for the engine's ${settings.engineThreads} threads: ${processors}.`);
  }
  return warn(
    'threads',
    `The engine has ${settings.engineThreads} threads for ${processors} processors; more threads than processors are slower.`,
    `Set LOGMILL_ENGINE_THREADS to ${processors} or less.`,
  );
}

function openFiles({ openFilesMax }: Machine): Finding {
  if (openFilesMax === null) return ok('open files', 'The limit of open files per process is unknown on this system.');
  if (openFilesMax >= openFilesWanted) return ok('open files', `A process may open ${openFilesMax} files.`);
  return warn(
    'open files',
    `A process may open only ${openFilesMax} files.`,
    `Raise the limit to ${openFilesWanted} or more (ulimit -n, LimitNOFILE).`,
  );
}
