import { defaultIngestLimits, type IngestLimits } from '../ingest/ingest.ts';
import type { Settings } from './settings.ts';

/** The limits of batches of events. All batches in progress may together take four of the largest. */
export function ingestLimitsOf({ ingestBytesMax, ingestEventsMax, eventBytesMax }: Settings): IngestLimits {
  return {
    bodyBytesMax: ingestBytesMax,
    eventsMax: ingestEventsMax,
    eventBytesMax,
    inFlightBytesMax: Math.max(defaultIngestLimits.inFlightBytesMax, 4 * ingestBytesMax),
  };
}
