import type { Clock } from '../core/clock.ts';
import { Mutex } from '../core/concurrency/mutex.ts';
import { Pause, Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { Randomness } from '../core/ids.ts';
import type { Observe } from '../core/observation.ts';
import type { EventLog, StoredEvent } from '../ports/eventLog.ts';
import type { Source } from '../sources/source.ts';
import { batchIdentity } from './batchIdentity.ts';
import { type BodyFormat, bodyFormat } from './bodyFormat.ts';
import { byNanoseconds } from './byNanoseconds.ts';
import { BytesInFlight } from './bytesInFlight.ts';
import { type DecodedBody, decode, type SentEvent } from './decode.ts';
import { Decompressions } from './decompressions.ts';
import { membersTooMany } from './eventSize.ts';
import { type IngestAnswer, ingestAnswer, refusedBatch, rememberedAnswer } from './ingestAnswer.ts';
import { type NormaliseContext, type NormalisedEvent, normaliseInTurns } from './normalise.ts';
import { decodeOtlp } from './otlp/decodeOtlp.ts';
import { type OtlpFormat, otlpFormat } from './otlp/otlpFormat.ts';
import type { RejectedEvent, Rejection } from './rejection.ts';
import { missingSource, resolveSource, type SourceCandidate } from './resolveSource.ts';
import type { SourceDirectory } from './sourceDirectory.ts';

export interface IngestCall {
  /** The format of the body: events as streams.md describes them (the default), or an OTLP export. */
  readonly protocol?: 'events' | 'otlp';
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
}

export interface Ingest {
  /**
   * Stores the events of one request and answers once they are durable (streams.md, "Ingestion").
   *
   * @throws ServiceError; then nothing of the batch is stored.
   */
  accept(call: IngestCall): Promise<IngestAnswer>;
}

const idempotencyKeyCharsMax = 255;

/** Bodies from this size are read one at a time: reading their events takes about ten times as much memory. */
const largeBytes = 2 * 1024 * 1024;

/** How many times the largest body the events of an export may take, counting resource and scope for each. */
const expansionMax = 4;

/** Creates the pipeline of an event: decode → normalise → append → acknowledge. */
export function createIngest(dependencies: IngestDependencies): Ingest {
  const inFlight = new BytesInFlight(dependencies.limits.inFlightBytesMax);
  const decompressions = new Decompressions();
  // In parallel, all large bodies would finish later and need memory at the same time.
  const largeBodies = new Mutex();
  const turns = dependencies.turns ?? new Turns();
  return {
    async accept(call) {
      const format = call.protocol === 'otlp' ? otlpFormat(call.contentType) : bodyFormat(call.contentType);
      const idempotencyKey = checkedKey(call.idempotencyKey);
      // Report a wrong source before working on the body.
      resolveSource(call.sourceCandidates, dependencies.sources, call.maySend);
      const held = inFlight.open(call.tokenId);
      try {
        held.growTo(call.body.byteLength);
        const { bodyBytesMax } = dependencies.limits;
        const body = await decompressions.run(call.body, call.contentEncoding, bodyBytesMax, call.tokenId, (decoded) =>
          held.growTo(decoded.byteLength),
        );
        const isLarge = body.byteLength >= largeBytes;
        const read = async () => {
          const decoded = await decodeBody(body, format, dependencies.limits, turns);
          const source = addressedSource(call, decoded.sourceName, dependencies.sources);
          const { warning } = decoded;
          const context = contextOf(source, call, dependencies);
          return { source, warning, ...(await normaliseAll(decoded.events, context, turns)) };
        };
        const batch = await (isLarge ? largeBodies.run(read) : read());
        // Work that follows on a large batch, its digest first, gets a new turn.
        if (isLarge) await turns.next();
        return await append({ ...batch, call, body, idempotencyKey }, dependencies);
      } finally {
        held.release();
      }
    },
  };
}

async function decodeBody(
  body: Uint8Array,
  format: BodyFormat | OtlpFormat,
  limits: IngestLimits,
  turns: Turns,
): Promise<DecodedBody> {
  if (format === 'json' || format === 'ndjson') {
    const membersMax = membersTooMany(limits.eventBytesMax);
    return await decode(body, format, limits.eventsMax, { membersMax }, turns);
  }
  const expandedBytesMax = expansionMax * limits.bodyBytesMax;
  return { ...(await decodeOtlp(body, format, { ...limits, expandedBytesMax }, turns)), sourceName: undefined };
}

function checkedKey(key: string | undefined): string | null {
  if (key === undefined || key === '') return null;
  if (key.length <= idempotencyKeyCharsMax) return key;
  throw new ServiceError(
    'request.malformed',
    `The Idempotency-Key has ${key.length} characters; at most ${idempotencyKeyCharsMax} are allowed.`,
  );
}

function addressedSource(call: IngestCall, sourceName: string | undefined, sources: SourceDirectory): Source {
  const candidates = [...call.sourceCandidates, { place: 'the member source of the body', name: sourceName ?? '' }];
  const source = resolveSource(candidates, sources, call.maySend);
  if (source === undefined) throw missingSource(sources, call.maySend);
  return source;
}

function contextOf(source: Source, call: IngestCall, dependencies: IngestDependencies): NormaliseContext {
  const arrivalMicros = dependencies.clock.nowMicros();
  const { oldestMicros } = dependencies;
  return {
    source,
    arrivalMicros,
    defaultProject: dependencies.defaultProject,
    projects: call.projects,
    eventBytesMax: dependencies.limits.eventBytesMax,
    oldestMicros: (project) => oldestMicros?.(source.name, project, arrivalMicros) ?? null,
    randomness: dependencies.randomness,
  };
}

interface NormalisedBatch {
  readonly events: readonly StoredEvent[];
  readonly rejections: readonly Rejection[];
  readonly isRecognisable: boolean;
}

async function normaliseAll(
  sent: readonly SentEvent[],
  context: NormaliseContext,
  turns: Turns,
): Promise<NormalisedBatch> {
  const pause = new Pause(turns);
  const events: StoredEvent[] = [];
  const nanos: number[] = [];
  const rejections: Rejection[] = [];
  let isRecognisable = true;
  for (const [index, item] of sent.entries()) {
    const normalised = item.kind === 'rejected' ? item : normaliseInTurns(item.value, context, () => pause.take());
    const result = normalised instanceof Promise ? await normalised : normalised;
    if (result.kind === 'rejected') {
      rejections.push({ index, code: result.code, message: result.message });
    } else {
      events.push(result.event);
      nanos.push(result.nanos);
      isRecognisable &&= result.isRecognisable;
    }
    if (pause.isDue(perEventWork + workOn(result, context))) await pause.take();
  }
  return { events: byNanoseconds(events, nanos), rejections, isRecognisable };
}

/** The fixed work per event, expressed as bytes that take as long. */
const perEventWork = 1000;

/** The work on an event that depends on its size, in bytes. */
function workOn(result: NormalisedEvent | RejectedEvent, { eventBytesMax }: NormaliseContext): number {
  if (result.kind === 'event') return result.bytes;
  // The event was read only until it proved too large.
  return result.code === 'event.too_large' ? eventBytesMax : 0;
}

interface AppendInput extends NormalisedBatch {
  readonly call: IngestCall;
  readonly source: Source;
  readonly body: Uint8Array;
  readonly idempotencyKey: string | null;
  readonly warning: string | undefined;
}

async function append(input: AppendInput, { eventLog, observe }: IngestDependencies): Promise<IngestAnswer> {
  const { call, source, events, rejections, idempotencyKey } = input;
  const isRefused = rejections.length > 0 && (call.strict || events.length === 0);
  const told = input.warning === undefined ? {} : { warning: input.warning };
  const answer = { ...ingestAnswer(events.length, rejections), ...told };
  // Without a key, an empty batch need not be remembered, because there is nothing to store twice.
  if (events.length === 0 && idempotencyKey === null && !isRefused) return answer;
  const identity = batchIdentity(
    {
      tokenId: call.tokenId,
      source: source.name,
      idempotencyKey,
      body: input.body,
      isRecognisable: input.isRecognisable,
    },
    JSON.stringify({ ...rememberedAnswer(events.length, rejections), ...told }),
  );
  const outcome = isRefused
    ? // Events that were taken may have become too old before their retry came.
      identity === null
      ? null
      : await eventLog.recall(identity)
    : await eventLog.append({ source: source.name, events, identity });
  if (outcome === null) throw refusedBatch(events.length, rejections);
  switch (outcome.kind) {
    case 'stored':
      observe({
        kind: 'ingest.stored',
        source: source.name,
        accepted: events.length,
        rejected: rejections.length,
        bytes: input.body.byteLength,
      });
      return answer;
    case 'duplicate': {
      const first = JSON.parse(outcome.answer) as IngestAnswer;
      // The first request was not strict, so its answer does not answer this one.
      if (isRefused && call.strict && first.rejected.length > 0) throw refusedBatch(events.length, rejections);
      return first;
    }
    case 'conflict':
      throw new ServiceError(
        'ingest.key_reused',
        'The Idempotency-Key was already used for this source with another body; nothing was stored. Use a new key for every batch.',
      );
  }
}
