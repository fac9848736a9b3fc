import { expect, it } from 'vitest';
import { takeGroup } from './commitGroup.ts';

const event = { id: 'e', timestampMicros: 0, project: 'p', eventMessage: '', metadata: null, hot: [], irregular: [] };
const waiting = (events: number, bytes: number) => ({ batch: { events: Array(events).fill(event) }, bytes });
const bounds = { commitEventsMax: 10, commitBytesMax: 100 };

it.each([
  ['as many batches as have few enough events', [waiting(4, 1), waiting(6, 1), waiting(1, 1)], 2],
  ['as many batches as have few enough bytes', [waiting(1, 60), waiting(1, 40), waiting(1, 1)], 2],
  ['a batch beyond the bounds alone', [waiting(11, 101), waiting(0, 0)], 1],
  ['nothing of nothing', [], 0],
])('takes %s, from the front', (_, queue, count) => {
  const all = [...queue];
  expect(takeGroup(queue, bounds)).toEqual(all.slice(0, count));
  expect(queue).toEqual(all.slice(count));
});
