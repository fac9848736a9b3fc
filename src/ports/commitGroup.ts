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

/** What the batches of a group hold: projects by source. */
export function committedEvents(
  group: readonly { readonly batch: Pick<EventBatch, 'source' | 'events'> }[],
): readonly CommittedEvents[] {
  const bySource = new Map<string, Set<string>>();
  for (const { batch } of group) {
    const projects = bySource.get(batch.source) ?? new Set();
    bySource.set(batch.source, projects);
    for (const { project } of batch.events) projects.add(project);
  }
  return [...bySource].map(([source, projects]) => ({ source, projects }));
}
