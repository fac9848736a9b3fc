/** One time that the main thread of a service was held, as `holdProbe.mjs` notes it. */
export interface Hold {
  /** When it ended, milliseconds since 1970. */
  readonly endMs: number;
  readonly heldMs: number;
  /** Of that, without a processor: the machine had others to serve. */
  readonly waitedMs: number;
  /** Of that, collecting garbage. */
  readonly collectedMs: number;
}

/** What `holdProbe.mjs` has written. */
export function readHolds(text: string): readonly Hold[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [endMs = 0, heldMs = 0, waitedMs = 0, collectedMs = 0] = line.split(' ').map(Number);
      return { endMs, heldMs, waitedMs, collectedMs };
    });
}

/** What the thread did itself; 0 of none. */
export function ownMs(hold: Hold | undefined): number {
  return hold === undefined ? 0 : Math.max(0, hold.heldMs - hold.waitedMs);
}
