import type { Clock } from '../core/clock.ts';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import type { Randomness } from '../core/ids.ts';
import type { StoredEvent } from '../ports/eventLog.ts';
import type { Source } from '../sources/source.ts';
import { byNanoseconds } from './byNanoseconds.ts';
import { type NormaliseContext, type NormalisedEvent, normaliseInTurns } from './normalise.ts';
import type { SourcePart } from './partsBySource.ts';
import type { RejectedEvents } from './rejectedEvents.ts';
import type { RejectedEvent, Rejection } from './rejection.ts';
import type { SenderTerms } from './senderTerms.ts';

export interface NormalisedPart {
  readonly source: Source;
  /** The index in the body of each event that was sent. */
  readonly indexes: readonly number[];
  readonly events: readonly StoredEvent[];
  /** By their indexes in the body. */
  readonly rejections: readonly Rejection[];
  readonly isRecognisable: boolean;
}

export interface NormaliseInput {
  readonly call: { readonly projects: readonly string[] | null };
  readonly isIdentified: boolean;
  readonly terms: SenderTerms;
  readonly dependencies: {
    readonly clock: Clock;
    readonly randomness: Randomness;
    readonly defaultProject: string | null;
    readonly limits: { readonly eventBytesMax: number };
    readonly oldestMicros?: (sourceName: string, project: string, nowMicros: number) => number | null;
    readonly rejectedEvents?: Pick<RejectedEvents, 'add'>;
  };
  readonly turns: Turns;
}

/** Turns the events of a batch into rows of their sources. */
export async function normaliseBatch(
  parts: readonly SourcePart[],
  input: NormaliseInput,
): Promise<readonly NormalisedPart[]> {
  const arrivalMicros = input.dependencies.clock.nowMicros();
  const pause = new Pause(input.turns);
  const normalised: NormalisedPart[] = [];
  const { rejectedEvents } = input.dependencies;
  for (const part of parts) {
    const context = contextOf(part, arrivalMicros, input);
    normalised.push(await normalisePart(part, context, pause, rejectedEvents));
  }
  return normalised;
}

function contextOf({ source }: SourcePart, arrivalMicros: number, input: NormaliseInput): NormaliseContext {
  const { oldestMicros, defaultProject, limits, randomness } = input.dependencies;
  return {
    source,
    arrivalMicros,
    defaultProject,
    projects: input.call.projects,
    isIdentified: input.isIdentified,
    eventBytesMax: limits.eventBytesMax,
    oldestMicros: (project) => oldestMicros?.(source.name, project, arrivalMicros) ?? null,
    randomness,
    terms: input.terms,
  };
}

async function normalisePart(
  { source, events: sent, indexes }: SourcePart,
  context: NormaliseContext,
  pause: Pause,
  rejectedEvents: Pick<RejectedEvents, 'add'> | undefined,
): Promise<NormalisedPart> {
  const events: StoredEvent[] = [];
  const nanos: number[] = [];
  const rejections: Rejection[] = [];
  let isRecognisable = true;
  for (const [place, item] of sent.entries()) {
    const normalised = item.kind === 'rejected' ? item : normaliseInTurns(item.value, context, pause);
    const result = normalised instanceof Promise ? await normalised : normalised;
    if (result.kind === 'rejected') {
      rejections.push({ index: indexes[place] ?? place, code: result.code, message: result.message });
      rejectedEvents?.add(source.name, result, item.kind === 'rejected' ? undefined : item.value);
    } else {
      events.push(result.event);
      nanos.push(result.nanos);
      isRecognisable &&= result.isRecognisable;
    }
    if (pause.isDue(perEventWork + workOn(result, context))) await pause.take();
  }
  return { source, indexes, events: byNanoseconds(events, nanos), rejections, isRecognisable };
}

/** The fixed work per event, expressed as bytes that take as long. */
const perEventWork = 1000;

/** The work on an event that depends on its size, in bytes. */
function workOn(result: NormalisedEvent | RejectedEvent, { eventBytesMax }: NormaliseContext): number {
  if (result.kind === 'event') return result.bytes;
  // The event was read only until it proved too large.
  return result.code === 'event.too_large' ? eventBytesMax : 0;
}
