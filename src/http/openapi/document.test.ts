import { expect, test } from 'vitest';
import { Pause, Turns } from '../../core/concurrency/turns.ts';
import { parseScope } from '../../tokens/scope.ts';
import { allRoutes } from '../routes/allRoutes.ts';
import { apiDocument } from './document.ts';

/** Counts the turns that work takes. */
class CountedTurns extends Turns {
  taken = 0;

  override next(): Promise<void> {
    this.taken++;
    return super.next();
  }
}

async function turnsTaken(msPerLook: number): Promise<number> {
  let nowMs = 0;
  const turns = new CountedTurns(() => {
    nowMs += msPerLook;
    return nowMs;
  });
  await apiDocument({
    routes: allRoutes,
    endpoints: [],
    isCut: false,
    token: { scopes: [parseScope('manage')], restrictions: null },
    headerPrefix: 'SVC',
    values: 'plain',
    version: '0',
    pause: new Pause(turns),
  });
  return turns.taken;
}

test('takes a turn before each route if that is slow, and none if the whole document takes less than a turn', async () => {
  expect(await turnsTaken(0)).toBe(0);
  expect(await turnsTaken(10)).toBeGreaterThan(allRoutes.length);
});
