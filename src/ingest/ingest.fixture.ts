import { MemoryEventLog } from '../../test/support/memoryEventLog.ts';
import { ManualClock } from '../core/clock.ts';
import type { Observation } from '../core/observation.ts';
import { builtinSources } from '../sources/builtin.ts';
import { createIngest, defaultIngestLimits, type IngestCall, type IngestDependencies } from './ingest.ts';
import { sourceDirectory } from './sourceDirectory.ts';

export const arrivalMicros = 1_777_629_630_000_000;

/** Ingestion into an event log in memory. */
export function setUp(overrides: Partial<IngestDependencies> = {}) {
  const eventLog = new MemoryEventLog();
  const observations: Observation[] = [];
  const clock = new ManualClock(arrivalMicros);
  const ingest = createIngest({
    eventLog,
    sources: sourceDirectory(builtinSources, new Map([['edge.requests', 'edge_logs']])),
    clock,
    randomness: { bytes: (count) => new Uint8Array(count) },
    observe: (observation) => observations.push(observation),
    defaultProject: null,
    limits: defaultIngestLimits,
    ...overrides,
  });
  return { ingest, eventLog, observations, clock };
}

export const named = (...names: string[]) => names.map((name, index) => ({ place: `place ${index + 1}`, name }));

/** A call with a body: text and bytes as they are, anything else as JSON. */
export function call(body: unknown, overrides: Partial<IngestCall> = {}): IngestCall {
  return {
    tokenId: 'token',
    maySend: () => true,
    projects: null,
    sourceCandidates: named('edge_logs'),
    contentType: 'application/json',
    contentEncoding: undefined,
    body:
      typeof body === 'string'
        ? Buffer.from(body)
        : body instanceof Uint8Array
          ? body
          : Buffer.from(JSON.stringify(body)),
    idempotencyKey: undefined,
    strict: false,
    ...overrides,
  };
}

export const good = { project: 'p', event_message: 'x' };
/** An event with an id and a time of its own. */
export const own = { ...good, id: 'i', timestamp: 1749549723 };
