import type { KillReason } from './engineSupervisor.ts';

/** A statement that was running in a process when the process ended. */
export interface Involved {
  /** It was running when an earlier process ended, and may have ended it. */
  readonly isSuspect: boolean;
  /** The process was killed because this statement did not stop. */
  readonly isStuck: boolean;
  /** Resident memory of the process when the statement began; 0 if unknown. */
  readonly bytesBefore: number;
  /** Number of earlier processes that ended, for unknown reasons, while it ran. */
  readonly processEnds: number;
}

export interface CrashAttribution<Run extends Involved> {
  /** Statements that ended the process; they are not repeated. */
  readonly guilty: ReadonlySet<Run>;
  /** Statements that may have ended the process, or that were running each time; they are repeated one at a time. */
  readonly suspects: readonly Run[];
}

/**
 * Decides which statements ended their process, and which may have. Unless a statement that did not stop caused the
 * kill, one of the statements in the process ended it; the second time, the suspect among them did. A statement that
 * was running twice is a suspect, whatever else was running. Otherwise it could be running each time that a suspect
 * ends a process, and be given up without ever running alone. `bytesMax`: the memory at which a process is killed.
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
 * The statements that can have made a process outgrow its memory. A statement that began when most of the growth had
 * already happened is excluded: a short statement next to a runaway one.
 */
function underWhichItGrew<Run extends Involved>(runs: readonly Run[], bytesMax: number): readonly Run[] {
  const least = Math.min(...runs.map(({ bytesBefore }) => bytesBefore));
  return runs.filter(({ bytesBefore }) => bytesBefore <= (least + bytesMax) / 2);
}
