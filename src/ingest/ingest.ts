import type { Clock } from '../core/clock.ts';
import { Mutex } from '../core/concurrency/mutex.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { BytesInFlight } from './bytesInFlight.ts';
import { Decompressions } from './decompressions.ts';
import { eventsProtocol } from './eventsProtocol.ts';
import { ExpandedTooLarge } from './gathering.ts';
import type { IngestAnswer } from './ingestAnswer.ts';
import { normaliseBatch } from './normaliseBatch.ts';
import { partsBySource } from './partsBySource.ts';
import type { Protocol } from './protocol.ts';
import type { RejectedEvents } from './rejectedEvents.ts';
import { resolveSource, type SourceCandidate } from './resolveSource.ts';
import { eventTerms, type SenderTerms } from './senderTerms.ts';
import type { SourceDirectory } from './sourceDirectory.ts';
import { type Batch, type EventOutcomes, storeBatch, storeEach } from './storeBatch.ts';
import { unpackSnappy } from './unpackSnappy.ts';

export interface IngestCall {
  /** The form of the body. Default: events in JSON or NDJSON. */
  readonly protocol?: Protocol;
  readonly tokenId: string;
  /** Whether the token may send to a source of this name; always true without a restriction. */
  readonly maySend: (sourceName: string) => boolean;
  /** The projects whose events the token may send; null for all. */
  readonly projects: readonly string[] | null;
  /** The source as named by query parameters and headers. A `source` member of the body is found later. */
  readonly sourceCandidates: readonly SourceCandidate[];
  readonly contentType: string | undefined;
  readonly contentEncoding: string | undefined;
  /** The body as sent, in its Content-Encoding. */
  readonly body: Uint8Array;
  readonly idempotencyKey: string | undefined;
  /** Whether one bad event makes the whole batch fail. */
  readonly strict: boolean;
}

export interface IngestLimits {
  /** Maximum bytes of a body, as sent and after decompression. */
  readonly bodyBytesMax: number;
  readonly eventsMax: number;
  /** Maximum bytes of message and metadata of one event. */
  readonly eventBytesMax: number;
  /** Maximum bytes of all bodies in progress; one token can have at most half of them. */
  readonly inFlightBytesMax: number;
}

export const defaultIngestLimits: IngestLimits = {
  bodyBytesMax: 16 * 1024 * 1024,
  eventsMax: 50_000,
  eventBytesMax: 1024 * 1024,
  inFlightBytesMax: 96 * 1024 * 1024,
};

export interface IngestDependencies {
  readonly eventLog: EventLog;
  readonly sources: SourceDirectory;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly observe: Observe;
  /** Project of events without one; null if none is configured. */
  readonly defaultProject: string | null;
  readonly limits: IngestLimits;
  /** Shares the main thread between large bodies and other long work; if absent, bodies have their own turns. */
  readonly turns?: Turns;
  /** The earliest time that retention keeps, in microseconds since 1970; null for all. Absent if retention is off. */
  readonly oldestMicros?: (sourceName: string, project: string, nowMicros: number) => number | null;
  /** Told of each rejected event; absent if nobody asks. */
  readonly rejectedEvents?: Pick<RejectedEvents, 'add'>;
}

export interface Ingest {
  /**
   * Stores the events of one request and answers once they are durable (streams.md, "Ingestion").
   *
   * @throws ServiceError; then nothing of the batch is stored.
   */
  accept(call: IngestCall): Promise<IngestAnswer>;

  /**
   * Like `accept`, for a protocol that answers each event on its own. A batch of only bad events is not an error, except
   * for a strict call.
   */
  acceptEach(call: IngestCall): Promise<EventOutcomes>;
}

const idempotencyKeyCharsMax = 255;

/** Bodies from this size are read one at a time: reading their events takes about ten times as much memory. */
const largeBytes = 2 * 1024 * 1024;

/** How many times the largest body the events of an export may take, counting resource and scope for each. */
const expansionMax = 4;

/** Creates the pipeline of an event: decode → normalise → append → acknowledge. */
export function createIngest(dependencies: IngestDependencies): Ingest {
  const { sources, limits } = dependencies;
  const inFlight = new BytesInFlight(limits.inFlightBytesMax);
  const decompressions = new Decompressions();
  // In parallel, all large bodies would finish later and need memory at the same time.
  const largeBodies = new Mutex();
  const allTurns = dependencies.turns ?? new Turns();

  async function ingest<T>(call: IngestCall, store: (batch: Batch, turns: Turns) => Promise<T>): Promise<T> {
    const opened = (call.protocol ?? eventsProtocol)(call.contentType);
    const { isSnappy = false, besides = '', terms = eventTerms, decode } = opened;
    const idempotencyKey = checkedKey(call.idempotencyKey, terms);
    // Report a wrong source before working on the body.
    resolveSource(call.sourceCandidates, sources, call.maySend);
    const held = inFlight.open(call.tokenId);
    const turns = allTurns.of(call.tokenId);
    try {
      held.growTo(call.body.byteLength);
      const { bodyBytesMax } = limits;
      const sent = await decompressions.run(call.body, call.contentEncoding, bodyBytesMax, call.tokenId, (decoded) =>
        held.growTo(decoded.byteLength),
      );
      const body = isSnappy
        ? await unpackSnappy(sent, bodyBytesMax, turns, (bytes) => held.growTo(sent.byteLength + bytes))
        : sent;
      const isLarge = body.byteLength >= largeBytes;
      const read = async (bytesMax: number) => {
        const take = (bytes: number) => held.growTo(body.byteLength + bytes);
        const decoded = await decode(body, { ...limits, expandedBytesMax: bytesMax, take }, turns);
        const { parts, strays } = partsBySource(decoded, call, sources);
        const batch = await normaliseBatch(parts, {
          call,
          isIdentified: decoded.isIdentified ?? false,
          terms,
          dependencies,
          turns,
        });
        return { parts: batch, strays, eventCount: decoded.events.length, warning: decoded.warning };
      };
      const expandedBytesMax = expansionMax * bodyBytesMax;
      const readAlone = async () =>
        await largeBodies.run(async () => await read(expandedBytesMax), { owner: call.tokenId });
      const batch = await (isLarge
        ? readAlone()
        : read(Math.min(largeBytes, expandedBytesMax)).catch(async (error: unknown) => {
            // A small body can stand for very much.
            if (error instanceof ExpandedTooLarge) return await readAlone();
            throw error;
          }));
      // Work that follows on a large batch gets a new turn.
      if (isLarge) await turns.next();
      return await store({ ...batch, call, body, idempotencyKey, besides, terms }, turns);
    } finally {
      held.release();
    }
  }

  return {
    accept: (call) => ingest(call, (batch, turns) => storeBatch(batch, { ...dependencies, turns })),
    acceptEach: (call) => ingest(call, (batch, turns) => storeEach(batch, { ...dependencies, turns })),
  };
}

function checkedKey(key: string | undefined, terms: SenderTerms): string | null {
  if (key === undefined || key === '') return null;
  if (key.length <= idempotencyKeyCharsMax) return key;
  throw new ServiceError(
    'request.malformed',
    `${terms.key} has ${key.length} characters; at most ${idempotencyKeyCharsMax} are allowed.`,
  );
}
