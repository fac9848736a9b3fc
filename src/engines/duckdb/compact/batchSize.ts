import type { DuckDbSettings } from '../settings.ts';

/** Engine memory per event of a batch: an event of 1.4 KB takes several times its size while it is sorted. */
const bytesPerEvent = 12 * 1024;
const portionEventsMin = 4_096;
const portionEventsMost = 61_440;

/** Number of events that rewriting sorts at a time, which leaves most of the engine's memory to queries. */
export function batchEventsMax({ memoryBytesMax }: DuckDbSettings): number {
  return Math.max(portionEventsMin, Math.min(portionEventsMost, Math.floor(memoryBytesMax / bytesPerEvent)));
}
