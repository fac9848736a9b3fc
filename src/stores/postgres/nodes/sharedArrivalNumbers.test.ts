import { expect, it } from 'vitest';
import { ManualTimer } from '../../../core/timer.ts';
import { arrivalLapseMs } from './nodeTimes.ts';
import { SharedArrivalNumbers } from './sharedArrivalNumbers.ts';

/** A database that gives blocks of numbers and records which watermarks were stated. */
function open() {
  let next = 1;
  const stated: (number | null)[] = [];
  const timer = new ManualTimer();
  const query = async (sql: string, parameters: readonly unknown[] = []) => {
    if (sql.includes('node_counters set value')) {
      const first = next;
      next += Number(parameters[1]);
      stated.push(Math.min(first, Number(parameters[2] ?? first)));
      return [{ first, below: next }];
    }
    stated.push(sql.startsWith('delete') ? null : Number(parameters[1]));
    return [];
  };
  const numbers = new SharedArrivalNumbers({
    nodeId: 'n',
    pool: {
      query: async <Row>(sql: string, parameters?: readonly unknown[]) => (await query(sql, parameters)) as Row[],
    },
    timer,
    failed: (cause) => {
      throw cause;
    },
  });
  return { numbers, timer, stated };
}

it('says for good that numbers may not be stored after the node was silent for too long', async () => {
  const { numbers, timer } = open();
  const taken = await numbers.take(5);
  timer.advanceMs(arrivalLapseMs);
  expect(taken.isCurrent()).toBe(false);
  await numbers.state();
  const later = await numbers.take(5);
  expect([taken.isCurrent(), later.isCurrent()]).toEqual([false, true]);
  expect(later.first).toBeGreaterThan(taken.first + 5);
});

it('keeps numbers current as long as it says that it holds them', async () => {
  const { numbers, timer, stated } = open();
  const taken = await numbers.take(5);
  for (let n = 0; n < 10; n++) {
    timer.advanceMs(arrivalLapseMs / 4);
    await numbers.state();
  }
  expect(taken.isCurrent()).toBe(true);
  expect(stated.at(-1)).toBe(taken.first);
});

it('gives up what it does not use, so that an idle node holds nothing back', async () => {
  const { numbers, stated } = open();
  (await numbers.take(5)).end();
  await numbers.state();
  expect(stated.at(-1)).toBe(6);
  await numbers.state();
  expect(stated.at(-1)).toBeNull();
});
