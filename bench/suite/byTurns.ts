/** Gives the milliseconds that it took. */
export type TimedWork = () => Promise<number>;

/** A work with the time from its beginning to its end. */
export function timed(work: () => Promise<unknown>): TimedWork {
  return async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
}

/** Of slow works fewer rounds are enough: none begins after so long, once there were the fewest. */
const msMax = 4000;
const roundsMin = 5;

/**
 * Milliseconds of each work over rounds in which each has its turn, in an order that moves on from round to round, so
 * that what else the machine does falls on all of them. Rounds to warm up are not counted.
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
