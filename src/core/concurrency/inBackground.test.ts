import { expect, it } from 'vitest';
import { ManualTimer } from '../timer.ts';
import { inBackground } from './inBackground.ts';
import { Turns } from './turns.ts';

it('runs no step in a turn of long work', async () => {
  const timer = new ManualTimer();
  const turns = new Turns();
  const ran: number[] = [];
  const steps = function* (): Generator<number, void> {
    for (let step = 1; step <= 3; step++) {
      ran.push(step);
      yield 1;
    }
  };
  inBackground({ timer, turns }, steps(), 1);

  const other = turns.next();
  timer.advanceMs(100);
  expect(ran).toEqual([]);
  await other;
  turns.endMs();
  timer.advanceMs(100);
  expect(ran).toEqual([]);

  await new Promise(setImmediate);
  timer.advanceMs(100);
  expect(ran.length).toBeGreaterThan(0);
});
