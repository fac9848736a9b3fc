import { atOnce } from '../core/concurrency/turns.ts';
import type { AroundEvents } from '../core/jsonContainer.ts';
import {
  isCut,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
} from '../core/jsonValue.ts';
import { bracketBytes, namingBytes, scalarBytes } from '../core/leastBytes.ts';
import type { JsonParseOptions } from '../core/losslessJson.ts';
import { timeMemberOf } from './eventTime.ts';

/** Members that are not stored in message and metadata. The one that gives the time is not stored either. */
const notStored: ReadonlySet<string> = new Set(['id', 'timestamp', 'project']);

/** Members whose names may not be stored either. */
const notNamed: ReadonlySet<string> = new Set(['event_message', 'message', 'log', 'metadata']);

/**
 * The number of members that makes an object too large for an event, because all except one have a name of at least one
 * byte, and a value.
 */
export function membersTooMany(bytesMax: number): number {
  return Math.floor(bytesMax / (namingBytes + 1)) + 2;
}

/**
 * How much of an object or array is read: what has more is too large for an event, because each element takes at least a
 * byte and a comma. An array may also be the batch, whose events are counted.
 */
export function readingLimits(limits: {
  readonly eventBytesMax: number;
  readonly eventsMax: number;
}): JsonParseOptions {
  const { eventBytesMax, eventsMax } = limits;
  const elementsMax = Math.max(Math.floor(eventBytesMax / 2), 2 * eventsMax) + 2;
  return { membersMax: membersTooMany(eventBytesMax), elementsMax };
}

/** `readingLimits` for a body that is an event, a list of events, or a `batch` of them. */
export function eventReadingLimits(limits: Parameters<typeof readingLimits>[0]): JsonParseOptions {
  return { ...readingLimits(limits), inEventBytesMax: limits.eventBytesMax, aroundEvents: eventsOfBody };
}

const anEvent: AroundEvents = { members: new Map() };

/** An event, a list of events, or a `batch` of them. */
export const eventsOfBody: AroundEvents = { elements: anEvent, members: new Map([['batch', { elements: anEvent }]]) };

/** What is known of an event before it is converted. */
export interface EventMeasure {
  /** Lower limit of the stored size of message and metadata. */
  readonly bytesAtLeast: number;
  /** Whether JSON can express every number in it; not known of an event that is too large. */
  readonly isFinite: boolean;
}

/** Like `measureInSteps`, if only the size matters. */
export function bytesAtLeast(event: JsonObject, bytesMax: number): number {
  return atOnce(measureInSteps(event, bytesMax)).bytesAtLeast;
}

/**
 * Measures an event in steps. Reads only as much of it as it takes to exceed `bytesMax`, so that a far too large event is
 * refused before the real work. The exact size is measured when the event is written.
 */
export function* measureInSteps(event: JsonObject, bytesMax: number): Generator<undefined, EventMeasure> {
  const measuring = new EventMeasuring(event, bytesMax);
  while (!measuring.advance()) yield;
  return measuring.measure;
}

/** Values that are measured in one step. */
const stepValues = 4096;

/** Like `measureInSteps`, without the cost of a generator, which counts for small events. */
export class EventMeasuring {
  readonly #event: JsonObject;
  readonly #bytesMax: number;
  readonly #metadata: JsonObject | null;
  readonly #timeMember: string | null;
  readonly #stored: Measuring;
  /** What is not stored; null if that has no containers. */
  #others: Measuring | null = null;
  /** Members of the event that are counted. */
  #counted = 0;

  constructor(event: JsonObject, bytesMax: number) {
    this.#event = event;
    this.#bytesMax = bytesMax;
    const sent = memberOf(event, 'metadata');
    const metadata = isJsonArray(sent) ? sent[0] : sent;
    this.#metadata = isJsonObject(metadata) ? metadata : null;
    this.#timeMember = timeMemberOf(event);
    this.#stored = new Measuring(isCut(event) ? -1 : bytesMax);
  }

  get measure(): EventMeasure {
    const left = this.#stored.bytesLeft;
    if (left < 0) return { bytesAtLeast: this.#bytesMax + 1, isFinite: true };
    return {
      bytesAtLeast: this.#bytesMax - left,
      isFinite: this.#stored.isFinite && (this.#others === null || this.#others.isFinite),
    };
  }

  /** Takes one step. Returns whether it was the last one. */
  advance(): boolean {
    if (this.#stored.bytesLeft < 0) return true;
    return this.#countMembers() && this.#stored.advance() && (this.#others === null || this.#others.advance());
  }

  #countMembers(): boolean {
    const names = memberNames(this.#event);
    const end = Math.min(names.length, this.#counted + stepValues);
    for (let at = this.#counted; at < end && this.#stored.bytesLeft >= 0; at++) {
      const name = names[at] ?? '';
      const value = this.#event[name] ?? null;
      if (this.#isStored(name)) {
        if (!notNamed.has(name)) this.#stored.countName(name);
        this.#stored.count(value);
      } else if (typeof value === 'object' ? value !== null : typeof value === 'number') {
        this.#others ??= new Measuring(Number.POSITIVE_INFINITY);
        this.#others.count(value);
      }
    }
    this.#counted = end;
    return end === names.length;
  }

  #isStored(name: string): boolean {
    if (notStored.has(name) || name === this.#timeMember) return false;
    // If two members have the same name, the one in metadata is kept.
    return this.#metadata === null || !Object.hasOwn(this.#metadata, name);
  }
}

/** Measures values and everything in them, in any order, which needs no recursion. */
class Measuring {
  bytesLeft: number;
  isFinite = true;
  readonly #open: (JsonObject | readonly JsonValue[])[] = [];
  /** The container that is counted in part. */
  #within: JsonObject | readonly JsonValue[] | undefined;
  /** Its members or elements that are counted. */
  #counted = 0;

  constructor(bytesMax: number) {
    this.bytesLeft = bytesMax;
  }

  countName(name: string): void {
    this.bytesLeft -= name.length + namingBytes;
  }

  /** Counts the value, and leaves what is in it to `advance`. A text may be a message, which has no quotes. */
  count(value: JsonValue): void {
    if (typeof value === 'object' && value !== null) {
      this.#open.push(value);
      this.bytesLeft -= bracketBytes(value);
      if (isJsonArray(value)) this.bytesLeft -= Math.max(0, value.length - 1);
    } else {
      this.bytesLeft -= scalarBytes(value);
      if (typeof value === 'number' && !Number.isFinite(value)) this.isFinite = false;
    }
  }

  /** Counts what is in the containers, for one step. Returns whether all is counted, or no bytes are left. */
  advance(): boolean {
    for (let values = 0; values < stepValues && this.bytesLeft >= 0; ) {
      const within = this.#within ?? this.#open.pop();
      if (within === undefined) return true;
      if (isCut(within)) this.bytesLeft = -1;
      const names = isJsonArray(within) ? null : memberNames(within);
      const { length } = names ?? (within as readonly JsonValue[]);
      const from = this.#counted;
      const end = Math.min(length, from + stepValues - values);
      this.#within = end < length ? within : undefined;
      this.#counted = end < length ? end : 0;
      // An empty container takes time too.
      values += end - from + 1;
      if (names === null) this.#countElements(within as readonly JsonValue[], from, end);
      else this.#countMembers(within as JsonObject, names, from, end);
    }
    return this.bytesLeft < 0 || (this.#within === undefined && this.#open.length === 0);
  }

  #countElements(array: readonly JsonValue[], from: number, end: number): void {
    for (let at = from; at < end && this.bytesLeft >= 0; at++) this.count(array[at] ?? null);
  }

  #countMembers(object: JsonObject, names: readonly string[], from: number, end: number): void {
    for (let at = from; at < end && this.bytesLeft >= 0; at++) {
      const name = names[at] ?? '';
      this.countName(name);
      this.count(object[name] ?? null);
    }
  }
}
