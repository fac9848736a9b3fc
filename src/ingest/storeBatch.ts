import { ServiceError } from '../core/errors.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { batchIdentity } from './batchIdentity.ts';
import { type IngestAnswer, ingestAnswer, mergedAnswer, refusedBatch, rememberedAnswer } from './ingestAnswer.ts';
import type { NormalisedPart } from './normaliseBatch.ts';
import type { Rejection } from './rejection.ts';

export interface Batch {
  readonly call: { readonly tokenId: string; readonly strict: boolean };
  /** The body after decompression. */
  readonly body: Uint8Array;
  readonly idempotencyKey: string | null;
  /** `OpenedBody.besides`; empty if there are none. */
  readonly besides: string;
  readonly warning: string | undefined;
  readonly eventCount: number;
  /** One for each source. */
  readonly parts: readonly NormalisedPart[];
  /** Rejected events without a source. */
  readonly strays: readonly Rejection[];
}

/** What became of each event of a batch, by its index in the body. The others are stored. */
export interface EventOutcomes {
  readonly eventCount: number;
  readonly rejections: readonly Rejection[];
  /** Events that were not stored, though nothing is wrong with them, and why. */
  readonly failures: ReadonlyMap<number, ServiceError>;
}

interface StoreDependencies {
  readonly eventLog: EventLog;
  readonly observe: Observe;
}

/**
 * Stores the acceptable events of a batch. Those of one source are stored together or not at all.
 *
 * @throws ServiceError. If the batch has events of several sources, those of the earlier ones may be stored.
 */
export async function storeBatch(batch: Batch, dependencies: StoreDependencies): Promise<IngestAnswer> {
  const { parts, strays, call, warning } = batch;
  const told = warning === undefined ? {} : { warning };
  const acceptable = acceptableCount(batch);
  const rejections = allRejections(batch);
  const isRefused = rejections.length > 0 && (call.strict || acceptable === 0);
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && strays.length === 0) {
    return (await storePart(batch, only, isRefused, told, dependencies)).answer;
  }
  if (isRefused) throw refusedBatch(acceptable, rejections);
  const answers = [ingestAnswer(0, strays)];
  for (const part of parts) {
    const answer =
      part.events.length === 0
        ? ingestAnswer(0, part.rejections)
        : (await storePart(batch, part, false, {}, dependencies)).answer;
    answers.push(answer);
  }
  return { ...mergedAnswer(answers), ...told };
}

/**
 * Like `storeBatch`, and says of each event what became of it. If storing the events of one source fails after those of
 * another were stored, the outcomes say so, because the sender must not send the stored ones again.
 */
export async function storeEach(batch: Batch, dependencies: StoreDependencies): Promise<EventOutcomes> {
  const { eventCount, parts } = batch;
  const rejections = [...allRejections(batch)];
  if (batch.call.strict && rejections.length > 0) throw refusedBatch(acceptableCount(batch), rejections);
  const failures = new Map<number, ServiceError>();
  let isAnyStored = false;
  for (const part of parts) {
    if (part.events.length === 0) {
      dependencies.observe(storedObservation(batch, part));
      continue;
    }
    try {
      const { answer, isRetry } = await storePart(batch, part, false, {}, dependencies);
      if (isRetry) rejections.push(...rejectedBefore(answer, part));
      isAnyStored = true;
    } catch (error) {
      if (!isAnyStored || !(error instanceof ServiceError)) throw error;
      const rejected = new Set(part.rejections.map(({ index }) => index));
      for (const index of part.indexes) if (!rejected.has(index)) failures.set(index, error);
    }
  }
  return { eventCount, rejections, failures };
}

/**
 * Events that the first request with the same bytes rejected and that would be taken by now. They are not stored.
 *
 * @throws ServiceError `ingest.batch_invalid` if it is not remembered which they are
 */
function rejectedBefore(first: IngestAnswer, { rejections }: NormalisedPart): readonly Rejection[] {
  const now = new Set(rejections.map(({ index }) => index));
  const others = first.rejected.filter(({ index }) => !now.has(index));
  const total = first.rejected_total ?? first.rejected.length;
  const isComplete = total === first.rejected.length || (others.length === 0 && total === now.size);
  if (isComplete) return others;
  throw new ServiceError(
    'ingest.batch_invalid',
    `This batch was sent before, and then ${total} of its events were rejected, of which only ${first.rejected.length} are remembered. Nothing was stored now. Send the missing events in another batch.`,
    { errors: first.rejected },
  );
}

function acceptableCount({ parts }: Batch): number {
  return parts.reduce((sum, { events }) => sum + events.length, 0);
}

function allRejections({ parts, strays }: Batch): readonly Rejection[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && strays.length === 0) return only.rejections;
  return [...strays, ...parts.flatMap(({ rejections }) => rejections)].sort((a, b) => a.index - b.index);
}

/** `isRetry`: the answer is that to the first request with the same batch, and nothing was stored now. */
async function storePart(
  batch: Batch,
  part: NormalisedPart,
  isRefused: boolean,
  told: Pick<IngestAnswer, 'warning'>,
  { eventLog, observe }: StoreDependencies,
): Promise<{ readonly answer: IngestAnswer; readonly isRetry: boolean }> {
  const { call, body, idempotencyKey, besides } = batch;
  const { source, events, rejections, isRecognisable } = part;
  const answer = { ...ingestAnswer(events.length, rejections), ...told };
  // Without a key, an empty batch need not be remembered, because there is nothing to store twice.
  if (events.length === 0 && idempotencyKey === null && !isRefused) return { answer, isRetry: false };
  const identity = batchIdentity(
    { tokenId: call.tokenId, source: source.name, idempotencyKey, body, besides, isRecognisable },
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
      observe(storedObservation(batch, part));
      return { answer, isRetry: false };
    case 'duplicate': {
      const first = JSON.parse(outcome.answer) as IngestAnswer;
      // The first request was not strict, so its answer does not answer this one.
      if (isRefused && call.strict && first.rejected.length > 0) throw refusedBatch(events.length, rejections);
      return { answer: first, isRetry: true };
    }
    case 'conflict':
      throw new ServiceError(
        'ingest.key_reused',
        'The Idempotency-Key was already used for this source with another body; nothing was stored. Use a new key for every batch.',
      );
  }
}

function storedObservation(batch: Batch, part: NormalisedPart): Observation {
  const { source, events, rejections } = part;
  const bytes = shareOfBody(batch, part);
  return { kind: 'ingest.stored', source: source.name, accepted: events.length, rejected: rejections.length, bytes };
}

/** The bytes of the body that count for a source: its share of the events. */
function shareOfBody({ body, eventCount }: Batch, { indexes }: NormalisedPart): number {
  return indexes.length === eventCount ? body.byteLength : Math.round((body.byteLength * indexes.length) / eventCount);
}
