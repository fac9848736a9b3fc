import type { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { Observation, Observe } from '../core/observation.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { batchIdentity } from './batchIdentity.ts';
import { type IngestAnswer, ingestAnswer, mergedAnswer, refusedBatch } from './ingestAnswer.ts';
import type { NormalisedPart } from './normaliseBatch.ts';
import type { Rejection } from './rejection.ts';
import { firstRejections, type RememberedAnswer, rememberedAnswer } from './rememberedAnswer.ts';
import type { SenderTerms } from './senderTerms.ts';

export interface Batch {
  readonly call: { readonly tokenId: string; readonly strict: boolean };
  /** The body after decompression. */
  readonly body: Uint8Array;
  readonly idempotencyKey: string | null;
  /** `OpenedBody.besides`; empty if there are none. */
  readonly besides: string;
  readonly terms: SenderTerms;
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
  readonly turns: Turns;
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
    const stored = await storePart(batch, only, isRefused, told, dependencies);
    if (stored === null) throw refusedBatch(acceptable, rejections);
    return stored.answer;
  }
  if (isRefused) throw refusedBatch(acceptable, rejections);
  const answers = [ingestAnswer(0, strays)];
  for (const part of parts) {
    const stored = await storePart(batch, part, part.events.length === 0, {}, dependencies);
    answers.push(stored === null ? ingestAnswer(0, part.rejections) : stored.answer);
  }
  return { ...mergedAnswer(answers), ...told };
}

/**
 * Like `storeBatch`, and says of each event what became of it. If storing the events of one source fails after those of
 * another were stored, the outcomes say so, because the sender must not send the stored ones again.
 */
export async function storeEach(batch: Batch, dependencies: StoreDependencies): Promise<EventOutcomes> {
  const { eventCount, parts, strays } = batch;
  const refused = allRejections(batch);
  if (batch.call.strict && refused.length > 0) throw refusedBatch(acceptableCount(batch), refused);
  const rejections = [...strays];
  const failures = new Map<number, ServiceError>();
  let isAnyStored = false;
  for (const part of parts) {
    try {
      const stored = await storePart(batch, part, part.events.length === 0, {}, dependencies);
      if (stored === null) dependencies.observe(storedObservation(batch, part));
      rejections.push(...(stored === null ? part.rejections : rejectionsOf(stored)));
      isAnyStored ||= stored !== null;
    } catch (error) {
      if (!isAnyStored || !(error instanceof ServiceError)) throw error;
      const rejected = new Set(part.rejections.map(({ index }) => index));
      for (const index of part.indexes) if (!rejected.has(index)) failures.set(index, error);
      rejections.push(...part.rejections);
    }
  }
  return { eventCount, rejections: rejections.sort((a, b) => a.index - b.index), failures };
}

function acceptableCount({ parts }: Batch): number {
  return parts.reduce((sum, { events }) => sum + events.length, 0);
}

function allRejections({ parts, strays }: Batch): readonly Rejection[] {
  const [only] = parts;
  if (only !== undefined && parts.length === 1 && strays.length === 0) return only.rejections;
  return [...strays, ...parts.flatMap(({ rejections }) => rejections)].sort((a, b) => a.index - b.index);
}

interface StoredPart {
  readonly answer: IngestAnswer;
  /**
   * All events of the part that are not stored. Of a retry, those that the first request rejected, even if the service would
   * decide otherwise by now; null if an earlier version of the service did not remember all.
   */
  readonly rejections: readonly Rejection[] | null;
}

/** Stores a part, or recognises its retry. If the part is refused, it is only recognised: null if it is no retry. */
async function storePart(
  batch: Batch,
  part: NormalisedPart,
  isRefused: boolean,
  told: Pick<IngestAnswer, 'warning'>,
  { eventLog, observe, turns }: StoreDependencies,
): Promise<StoredPart | null> {
  const { call, body, idempotencyKey, besides, terms } = batch;
  const { source, events, rejections, isRecognisable } = part;
  const answer = { ...ingestAnswer(events.length, rejections), ...told };
  // Without a key, an empty batch need not be remembered, because there is nothing to store twice.
  if (events.length === 0 && idempotencyKey === null && !isRefused) return { answer, rejections };
  const identified = batchIdentity(
    { tokenId: call.tokenId, source: source.name, idempotencyKey, body, besides, isRecognisable },
    JSON.stringify({ ...rememberedAnswer(events.length, rejections), ...told }),
    turns,
  );
  const identity = identified instanceof Promise ? await identified : identified;
  const outcome = isRefused
    ? // Events that were taken may have become too old before their retry came.
      identity === null
      ? null
      : await eventLog.recall(identity)
    : await eventLog.append({ source: source.name, events, identity, owner: call.tokenId });
  if (outcome === null) return null;
  switch (outcome.kind) {
    case 'stored':
      observe(storedObservation(batch, part));
      return { answer, rejections };
    case 'duplicate': {
      const first = JSON.parse(outcome.answer) as RememberedAnswer;
      // The first request was not strict, so its answer does not answer this one.
      if (isRefused && call.strict && (first.rejected_total ?? first.rejected.length) > 0) return null;
      return storedAtFirst(first, rejections);
    }
    case 'conflict':
      throw new ServiceError(
        'ingest.key_reused',
        `${terms.key} was already used for this source with another body; nothing was stored. Use a new one for every batch.`,
      );
  }
}

function storedAtFirst(first: RememberedAnswer, now: readonly Rejection[]): StoredPart {
  const { others: _others, ...answer } = first;
  const rejections = firstRejections(first, now);
  if (rejections === null) return { answer, rejections };
  const { accepted, warning } = first;
  const told = warning === undefined ? {} : { warning };
  return { answer: { ...ingestAnswer(accepted, rejections), ...told }, rejections };
}

/** @throws ServiceError `ingest.batch_invalid` if they are not remembered */
function rejectionsOf({ answer: { rejected, rejected_total: total }, rejections }: StoredPart): readonly Rejection[] {
  if (rejections !== null) return rejections;
  throw new ServiceError(
    'ingest.batch_invalid',
    `This batch was sent before, and then ${total} of its events were rejected, of which only ${rejected.length} are remembered. Nothing was stored now. Send the missing events in another batch.`,
    { errors: rejected },
  );
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
