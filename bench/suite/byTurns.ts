/** Does some work and returns its time in milliseconds. */
export type TimedWork = () => Promise<number>;

/** Wraps `work` so that it returns the time from its start to its end. */
export function timed(work: () => Promise<unknown>): TimedWork {
  return async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
}

/** No round starts after this time, once the minimum number of rounds is done. Slow work needs fewer rounds. */
const msMax = 4000;
const roundsMin = 5;

/**
 * Milliseconds of each work in alternating rounds. The order rotates, so that other load on the machine affects all of
 * them equally. Warm-up rounds are not counted.
 */
export async function byTurns<Name extends string>(
  works: Readonly<Record<Name, TimedWork>>,
  { rounds, warmRounds }: { readonly rounds: number; readonly warmRounds: number },
): Promise<Readonly<Record<Name, readonly number[]>>> {
  const names = Object.keys(works) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  const startedMs = performance.now();
  for (let round = 0; round < warmRounds + rounds; round++) {
    if (round >= warmRounds + roundsMin && performance.now() - startedMs > msMax) break;
    for (const n of names.keys()) {
      const name = names[(n + round) % names.length];
      if (name === undefined) continue;
      const ms = await works[name]();
      if (round >= warmRounds) times[name].push(ms);
    }
  }
  return times;
}
