/** One time that the main thread of a service was held, as `holdProbe.mjs` notes it. */
export interface Hold {
  /** When it ended, milliseconds since 1970. */
  readonly endMs: number;
  readonly heldMs: number;
  /** Of that, without a processor: the machine had others to serve. */
  readonly waitedMs: number;
  /** Of that, collecting garbage. */
  readonly collectedMs: number;
  /** Of that, running; the rest was spent in waiting for a disk or a lock. 0 where the kernel does not tell. */
  readonly ranMs: number;
  /** What ran, a tree of calls, one line each; empty where it was not profiled. */
  readonly calls: readonly string[];
}

/** What `holdProbe.mjs` has written. */
export function readHolds(text: string): readonly Hold[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [, numbers = '', calls = '[]'] = /^([\d. -]+)(\[.*)?$/.exec(line) ?? [];
      const [endMs = 0, heldMs = 0, waitedMs = 0, collectedMs = 0, ranMs = 0] = numbers.trim().split(' ').map(Number);
      return { endMs, heldMs, waitedMs, collectedMs, ranMs, calls: JSON.parse(calls) as string[] };
    });
}

/** What the thread did itself; 0 of none. */
export function ownMs(hold: Hold | undefined): number {
  return hold === undefined ? 0 : Math.max(0, hold.heldMs - hold.waitedMs);
}
