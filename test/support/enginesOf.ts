import { readdirSync, readFileSync } from 'node:fs';

/**
 * The process ids of the running engines that a process has started, itself or through its launcher, the oldest first.
 * Linux only: elsewhere it finds none.
 */
export function enginesOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => (isEngine(child) ? [child] : enginesOf(child)));
}

/** The processes that a process started, without those that they started; none if it has ended, or elsewhere than on Linux. */
export const childrenOf = (pid: number): readonly number[] =>
  // The system lists them by the thread that started them.
  unlessEnded(() => readdirSync(`/proc/${pid}/task`), []).flatMap((thread) =>
    unlessEnded(() => readFileSync(`/proc/${pid}/task/${thread}/children`, 'latin1'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );

/** Its command names the engine's entry; that of a process that has ended is empty. */
const isEngine = (pid: number): boolean =>
  /[/\\](?:cached\.cjs|cachedMain\.ts)\0/.test(unlessEnded(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1'), ''));

function unlessEnded<T>(read: () => T, ended: T): T {
  try {
    return read();
  } catch {
    return ended;
  }
}
