import type { EventBatch } from './eventLog.ts';

interface WaitingBatch {
  readonly batch: Pick<EventBatch, 'events'>;
  readonly bytes: number;
}

/** The largest group of batches that is committed together; a larger batch is a group of its own. */
interface GroupBounds {
  readonly commitEventsMax: number;
  readonly commitBytesMax: number;
}

/** Removes the next group from the front of a queue: at least one batch if there is any. */
export function takeGroup<T extends WaitingBatch>(
  queue: T[],
  { commitEventsMax, commitBytesMax }: GroupBounds,
): readonly T[] {
  let events = 0;
  let bytes = 0;
  let count = 0;
  for (const waiting of queue) {
    events += waiting.batch.events.length;
    bytes += waiting.bytes;
    if (count > 0 && (events > commitEventsMax || bytes > commitBytesMax)) break;
    count++;
  }
  return queue.splice(0, count);
}
