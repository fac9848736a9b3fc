import type { DuckDbSettings } from '../settings.ts';

/** Engine memory per event of a portion: an event of 1.4 KB takes a few times its size on its way through a sort. */
const bytesPerEvent = 12 * 1024;
const portionEventsMin = 4_096;
const portionEventsMost = 61_440;

/** How many events rewriting sorts at a time, so that it leaves most of the engine's memory to queries. */
export function batchEventsMax({ memoryBytesMax }: DuckDbSettings): number {
  return Math.max(portionEventsMin, Math.min(portionEventsMost, Math.floor(memoryBytesMax / bytesPerEvent)));
}
