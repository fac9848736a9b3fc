import { Turns } from '../../src/core/concurrency/turns.ts';

/** Counts the turns of the event loop that other work had during `work`. */
export async function turnsTaken(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  try {
    await work();
  } finally {
    isDone = true;
  }
  return turns;
}

/** A clock for `Turns` that ends the turn at each look, so that the looks are counted and not the speed of the machine. */
export function everyLookEndsTurn(): () => number {
  let ms = 0;
  return () => {
    ms += 1000;
    return ms;
  };
}

/** Turns that are counted. */
export class CountedTurns extends Turns {
  taken = 0;

  override next(): Promise<void> {
    this.taken++;
    return super.next();
  }
}
