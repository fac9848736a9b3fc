import { atOnce, inTurns, type Pause } from '../core/concurrency/turns.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';
import { limits } from '../core/limits.ts';
import { writeJson, writeJsonInSteps } from '../core/writeJson.ts';
import type { StoredEvent } from '../ports/eventLog.ts';
import type { Source } from '../sources/source.ts';
import { eventMessage } from './eventMessage.ts';
import { Copying, MetadataGathering } from './eventMetadata.ts';
import { eventProject } from './eventProject.ts';
import { type EventMeasure, EventMeasuring } from './eventSize.ts';
import { type EventTime, eventTime } from './eventTime.ts';
import { hotCells } from './hotCells.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';
import type { SenderTerms } from './senderTerms.ts';

/** The context of normalisation, the same for all events of a batch. */
export interface NormaliseContext {
  readonly source: Source;
  /** When the batch arrived, in microseconds since 1970. */
  readonly arrivalMicros: number;
  /** Project of events without one; null if none is configured. */
  readonly defaultProject: string | null;
  /** The projects whose events the token may send; null for all. */
  readonly projects: readonly string[] | null;
  /** Whether equal bytes mean the same events, though these have no IDs. */
  readonly isIdentified?: boolean;
  /** Maximum bytes of message and metadata together. */
  readonly eventBytesMax: number;
  /** The earliest time that retention keeps for a project, in microseconds since 1970; null for all. */
  readonly oldestMicros: (project: string) => number | null;
  readonly terms: SenderTerms;
  readonly randomness: Randomness;
}

export interface NormalisedEvent {
  readonly kind: 'event';
  readonly event: StoredEvent;
  /** Nanoseconds of the time that are not stored (0 to 999); they order events of one microsecond. */
  readonly nanos: number;
  /** Whether the event came with its own ID (or needs none) and time, so that the same bytes are the same event. */
  readonly isRecognisable: boolean;
  /** Bytes of message and metadata. */
  readonly bytes: number;
}

/** The members that have their own place in an event; all others belong to metadata. */
const eventMembers: ReadonlySet<string> = new Set(['id', 'timestamp', 'event_message', 'project', 'metadata']);

/** Events from this size on are written in steps. */
const largeBytes = 64 * 1024;

/** Turns a sent event into a row of its source, or gives the reason why it is rejected (streams.md, row "event"). */
export function normalise(sent: JsonValue, context: NormaliseContext): NormalisedEvent | RejectedEvent {
  return atOnce(normaliseInSteps(sent, context));
}

/** Like `normalise`. Works in turns and returns a promise for a large event. */
export function normaliseInTurns(
  sent: JsonValue,
  context: NormaliseContext,
  pause: Pause,
): NormalisedEvent | RejectedEvent | Promise<NormalisedEvent | RejectedEvent> {
  const steps = normaliseInSteps(sent, context);
  const first = steps.next();
  return first.done === true ? first.value : inTurns(steps, pause);
}

/** A small event takes one step. */
function* normaliseInSteps(
  sent: JsonValue,
  context: NormaliseContext,
): Generator<undefined, NormalisedEvent | RejectedEvent> {
  if (!isJsonObject(sent))
    return rejected('event.not_object', `The event is ${quoteValue(sent)}; it must be a JSON object.`);
  const measuring = new EventMeasuring(sent, context.eventBytesMax);
  while (!measuring.advance()) yield;
  const { measure } = measuring;
  const refusal = check(sent, measure, context);
  if (refusal !== undefined) return refusal;
  const time = eventTime(sent, context.arrivalMicros, context.terms);
  if (time.kind === 'rejected') return time;
  const message = eventMessage(sent);
  const gathering = new MetadataGathering(sent, eventMembers, [time.member, message.member]);
  while (!gathering.advance()) yield;
  const own = gathering.metadata;
  if (own.kind === 'rejected') return own;
  const { projectField } = context.source;
  const owner = eventProject(sent, own.value, projectField, context.defaultProject, context.terms);
  if (owner.kind === 'rejected') return owner;
  const refused = checkProject(owner, context) ?? checkTime(time.micros, owner.project, context);
  if (refused !== undefined) return refused;
  let metadata = own.value;
  if (projectField.kind === 'metadata' && owner.isToBeCopied) {
    const copying = new Copying(metadata);
    while (!copying.advance()) yield;
    copying.builder.set(projectField.member, owner.project);
    metadata = copying.builder.object;
  }
  const texts =
    measure.bytesAtLeast < largeBytes
      ? writeTexts(message.value, metadata)
      : yield* writeTextsInSteps(message.value, metadata);
  return rowOf({ sentId: idOf(sent), time, project: owner.project, metadata }, texts, context);
}

/** The checks that need no conversion. */
function check(
  sent: JsonObject,
  measure: EventMeasure,
  { eventBytesMax, terms }: NormaliseContext,
): RejectedEvent | undefined {
  if (measure.bytesAtLeast > eventBytesMax) return tooLarge(eventBytesMax);
  if (!measure.isFinite) {
    return rejected(
      'event.number_out_of_range',
      'The event has a number that is too large for a 64-bit float; send it as text.',
    );
  }
  const id = memberOf(sent, 'id') ?? null;
  if (id === null || isEventId(id)) return undefined;
  return rejected(
    'event.id_invalid',
    `${terms.id ?? 'id'} ${quoteValue(id)} is not a string of 1 to ${limits.eventIdCharsMax} characters.`,
  );
}

/** The parts of an event, collected from wherever they are. */
interface GatheredEvent {
  readonly sentId: string | null;
  readonly time: Extract<EventTime, { readonly kind: 'time' }>;
  readonly project: string;
  readonly metadata: JsonObject | null;
}

/** Message and metadata as they are stored. */
interface EventTexts {
  readonly message: string;
  readonly metadata: string | null;
}

function writeTexts(message: JsonValue, metadata: JsonObject | null): EventTexts {
  return {
    message: typeof message === 'string' ? message : writeJson(message),
    metadata: metadata === null ? null : writeJson(metadata),
  };
}

function* writeTextsInSteps(message: JsonValue, metadata: JsonObject | null): Generator<undefined, EventTexts> {
  yield;
  return {
    message: typeof message === 'string' ? message : yield* writeJsonInSteps(message),
    metadata: metadata === null ? null : yield* writeJsonInSteps(metadata),
  };
}

function rowOf(
  gathered: GatheredEvent,
  { message, metadata }: EventTexts,
  context: NormaliseContext,
): NormalisedEvent | RejectedEvent {
  const { sentId, time, project } = gathered;
  const bytes = Buffer.byteLength(message) + (metadata === null ? 0 : Buffer.byteLength(metadata));
  if (bytes > context.eventBytesMax) return tooLarge(context.eventBytesMax);
  const hot = hotCells(gathered.metadata, context.source.hotColumns);
  const event: StoredEvent = {
    id: sentId ?? uuidV7(Math.floor(time.micros / 1000), context.randomness),
    timestampMicros: time.micros,
    project,
    eventMessage: message,
    metadata,
    hot: hot.values,
    irregular: hot.irregular,
  };
  const isRecognisable = (sentId !== null || context.isIdentified === true) && time.member !== null;
  return { kind: 'event', event, nanos: time.nanos, isRecognisable, bytes };
}

/** Names no size, because a large event is not read to its end. */
function tooLarge(bytesMax: number): RejectedEvent {
  return rejected(
    'event.too_large',
    `The event has more than ${bytesMax} bytes of message and metadata, the most allowed.`,
  );
}

/** The checked ID. */
function idOf(sent: JsonObject): string | null {
  const id = memberOf(sent, 'id');
  return typeof id === 'string' ? id : null;
}

function isEventId(value: JsonValue): value is string {
  if (typeof value !== 'string' || value === '' || value.length > 2 * limits.eventIdCharsMax) return false;
  return value.length <= limits.eventIdCharsMax || [...value].length <= limits.eventIdCharsMax;
}

function checkProject(
  { project, isDefault }: { readonly project: string; readonly isDefault: boolean },
  context: NormaliseContext,
): RejectedEvent | undefined {
  if (context.projects === null || context.projects.includes(project)) return undefined;
  const allowed = context.projects.slice(0, 10).map(quoteValue).join(', ') || 'none';
  // A token without access to the default project must not learn its name.
  const { sender } = context.terms;
  const problem = isDefault
    ? `The event has no project. ${sender} may not send events of the default project`
    : `${sender} may not send events of project ${quoteValue(project)}`;
  return rejected('event.project_forbidden', `${problem}, only of ${allowed}.`);
}
function checkTime(micros: number, project: string, context: NormaliseContext): RejectedEvent | undefined {
  if (micros > context.arrivalMicros + limits.eventAheadMsMax * 1000) {
    return rejected(
      'event.too_far_ahead',
      `The timestamp ${isoOf(micros)} is more than 24 hours ahead of the clock of the service (${isoOf(context.arrivalMicros)}).`,
    );
  }
  const oldest = context.oldestMicros(project);
  if (oldest === null || micros >= oldest) return undefined;
  return rejected(
    'event.too_old',
    `The timestamp ${isoOf(micros)} is older than the retention; events from ${isoOf(oldest)} on are kept.`,
  );
}

function isoOf(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString();
}
