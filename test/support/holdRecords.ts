/** One time that the main thread of a service was blocked, as `holdProbe.mjs` records it. */
export interface Hold {
  /** When it ended, milliseconds since 1970. */
  readonly endMs: number;
  readonly heldMs: number;
  /** Part of it without a processor, because the machine served others. */
  readonly waitedMs: number;
  /** Part of it spent on garbage collection. */
  readonly collectedMs: number;
  /** Part of it spent running; the rest was spent waiting for a disk or a lock. 0 if the kernel does not report it. */
  readonly ranMs: number;
  /** The calls that ran, as a tree, one line each; empty without a profile. */
  readonly calls: readonly string[];
}

/** Reads the records of `holdProbe.mjs`. */
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

/** The time that the thread itself caused; 0 for undefined. */
export function ownMs(hold: Hold | undefined): number {
  return hold === undefined ? 0 : Math.max(0, hold.heldMs - hold.waitedMs);
}
