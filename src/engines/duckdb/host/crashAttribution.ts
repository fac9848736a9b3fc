import type { KillReason } from './engineSupervisor.ts';

/** A statement that ran in a process when it ended. */
export interface Involved {
  /** It ran in an earlier process that ended, and may have been what ended it. */
  readonly isSuspect: boolean;
  /** The process was killed because this statement did not stop. */
  readonly isStuck: boolean;
  /** Resident memory of the process when the statement began; 0 where it is not known. */
  readonly bytesBefore: number;
  /** How many processes ended under it before without it being known by what. */
  readonly processEnds: number;
}

export interface CrashAttribution<Run extends Involved> {
  /** They are not run again. */
  readonly guilty: ReadonlySet<Run>;
  /** One of them may have ended the process, or they were there each time: to be run again one at a time. */
  readonly suspects: readonly Run[];
}

/**
 * Which statements are to blame for the end of their process, and which may be. A process that was not
 * killed for a statement that did not stop ended by one that ran in it; the second time, a suspect is taken
 * for it. One that was there twice is a suspect whatever else was: otherwise it could be there each time a
 * suspect ends a process, and be given up without having had one for itself. `bytesMax`: the memory at which a process is killed.
 */
export function attributeCrash<Run extends Involved>(
  reason: KillReason | undefined,
  runs: readonly Run[],
  bytesMax: number,
): CrashAttribution<Run> {
  if (reason === 'stuck') return { guilty: new Set(runs.filter(({ isStuck }) => isStuck)), suspects: [] };
  if (reason === 'disk') return { guilty: new Set(), suspects: [] };
  const possible = reason === 'memory' ? underWhichItGrew(runs, bytesMax) : runs;
  const isPlain = reason === 'memory' && runs.length === 1;
  const guilty = new Set(possible.filter(({ isSuspect }) => isSuspect || isPlain));
  const mayBe = (run: Run) => run.processEnds > 0 || (guilty.size === 0 && possible.includes(run));
  return { guilty, suspects: runs.filter((run) => !guilty.has(run) && mayBe(run)) };
}

/**
 * The statements that a process can have outgrown its memory by. One that began when most of what it
 * grew by was taken already is not among them: a short one beside one that runs away.
 */
function underWhichItGrew<Run extends Involved>(runs: readonly Run[], bytesMax: number): readonly Run[] {
  const least = Math.min(...runs.map(({ bytesBefore }) => bytesBefore));
  return runs.filter(({ bytesBefore }) => bytesBefore <= (least + bytesMax) / 2);
}
