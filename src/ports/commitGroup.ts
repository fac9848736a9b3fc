import { changeCount } from '../core/changeCount.ts';
import type { CommittedEvents, EventBatch } from './eventLog.ts';

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

/** What an event takes beside its texts. */
const eventBytes = 100;

/** What the batches of a group hold: projects by source. */
export function committedEvents(
  group: readonly { readonly batch: Pick<EventBatch, 'source' | 'events'> }[],
): readonly CommittedEvents[] {
  const bySource = new Map<string, Map<string, number>>();
  for (const { batch } of group) {
    const projects = bySource.get(batch.source) ?? new Map<string, number>();
    bySource.set(batch.source, projects);
    for (const { project, eventMessage, metadata } of batch.events) {
      changeCount(projects, project, eventBytes + eventMessage.length + (metadata?.length ?? 0));
    }
  }
  return [...bySource].map(([source, projects]) => ({ source, projects }));
}
