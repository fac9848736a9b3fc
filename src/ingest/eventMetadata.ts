import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
  ObjectBuilder,
} from '../core/jsonValue.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';

export type EventMetadata = { readonly kind: 'metadata'; readonly value: JsonObject | null } | RejectedEvent;

/** Members that are copied in one step. */
const stepMembers = 2048;

/**
 * Makes the metadata of an event before the project is copied in (streams.md, row "event"), in steps. That is the object as
 * sent. If it was sent as a list of one object, one-element lists of objects are unwrapped at every level. Top-level members
 * that are neither in `known` nor already present are added. Null if there is neither. Generators cost too much here: most
 * events take one step.
 */
export class MetadataGathering {
  readonly #event: JsonObject;
  readonly #names: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #alsoKnown: readonly (string | null)[];
  readonly #refusal: RejectedEvent | null;
  /** Null if the metadata was sent as an object, or is unwrapped. */
  #unwrapping: Unwrapping | null;
  #own: JsonObject | null;
  /** What top-level members are added to; null if there are none so far. */
  #copying: Copying | null = null;
  /** Top-level members that are done. */
  #passed = 0;

  constructor(event: JsonObject, known: ReadonlySet<string>, alsoKnown: readonly (string | null)[]) {
    this.#event = event;
    this.#names = memberNames(event);
    this.#known = known;
    this.#alsoKnown = alsoKnown;
    const sent = memberOf(event, 'metadata') ?? null;
    const only = isJsonArray(sent) ? onlyObjectOf(sent) : undefined;
    this.#own = isJsonObject(sent) ? sent : null;
    this.#unwrapping = only === undefined ? null : new Unwrapping(only);
    this.#refusal = sent !== null && this.#own === null && only === undefined ? refused(sent) : null;
  }

  /** Takes one step. Returns whether it was the last one. */
  advance(): boolean {
    if (this.#refusal !== null) return true;
    if (this.#unwrapping !== null) {
      if (!this.#unwrapping.advance()) return false;
      this.#own = this.#unwrapping.object;
      this.#unwrapping = null;
    }
    const end = Math.min(this.#names.length, this.#passed + stepMembers);
    for (; this.#passed < end; this.#passed++) {
      const name = this.#names[this.#passed] ?? '';
      if (this.#known.has(name) || this.#alsoKnown.includes(name)) continue;
      this.#copying ??= new Copying(this.#own);
      if (!this.#copying.advance()) return false;
      const { builder } = this.#copying;
      if (!Object.hasOwn(builder.object, name)) builder.set(name, this.#event[name] ?? null);
    }
    return end === this.#names.length;
  }

  /** After the last step. */
  get metadata(): EventMetadata {
    if (this.#refusal !== null) return this.#refusal;
    return { kind: 'metadata', value: this.#copying === null ? this.#own : this.#copying.builder.object };
  }
}

/** Copies an object in steps; null counts as an empty object. */
export class Copying {
  readonly builder = new ObjectBuilder();
  readonly #from: JsonObject | null;
  readonly #names: readonly string[];
  #copied = 0;

  constructor(from: JsonObject | null) {
    this.#from = from;
    this.#names = from === null ? [] : memberNames(from);
  }

  /** Takes one step. Returns whether all members are copied. */
  advance(): boolean {
    const end = Math.min(this.#names.length, this.#copied + stepMembers);
    for (; this.#copied < end; this.#copied++) {
      const name = this.#names[this.#copied] ?? '';
      this.builder.set(name, this.#from?.[name] ?? null);
    }
    return end === this.#names.length;
  }
}

function refused(value: JsonValue): RejectedEvent {
  const what = isJsonArray(value)
    ? `a list of ${value.length} ${value.length === 1 ? 'element that is no object' : 'elements'}`
    : quoteValue(value);
  return rejected('event.metadata_invalid', `metadata is ${what}; it must be an object or a list of one object.`);
}

/** The object of a list of one object. */
function onlyObjectOf(value: readonly JsonValue[]): JsonObject | undefined {
  const only = value.length === 1 ? value[0] : undefined;
  return isJsonObject(only) ? only : undefined;
}

/** A container, and its copy, which has so many of its members or elements. */
type Copy = { done: number } & (
  | {
      readonly kind: 'object';
      readonly from: JsonObject;
      readonly names: readonly string[];
      readonly to: ObjectBuilder;
    }
  | { readonly kind: 'list'; readonly from: readonly JsonValue[]; readonly to: JsonValue[] }
);

/** Copies an object with all lists of one object in it unwrapped, in steps. Needs no recursion. */
class Unwrapping {
  readonly object: JsonObject;
  readonly #open: Copy[] = [];

  constructor(root: JsonObject) {
    this.object = this.#copyOf(root);
  }

  /** Takes one step. Returns whether it was the last one. */
  advance(): boolean {
    let left = stepMembers;
    for (let copy = this.#open.pop(); copy !== undefined; copy = this.#open.pop()) {
      const length = copy.kind === 'object' ? copy.names.length : copy.from.length;
      const end = Math.min(length, copy.done + left);
      // An empty container takes time too.
      left -= end - copy.done + 1;
      // The containers in it are copied after it, and open above it.
      if (end < length) this.#open.push(copy);
      this.#copyTo(copy, end);
      if (left <= 0) return this.#open.length === 0;
    }
    return true;
  }

  #copyTo(copy: Copy, end: number): void {
    if (copy.kind === 'list') {
      for (; copy.done < end; copy.done++) copy.to.push(this.#copied(copy.from[copy.done] ?? null));
      return;
    }
    for (; copy.done < end; copy.done++) {
      const name = copy.names[copy.done] ?? '';
      copy.to.set(name, this.#copied(copy.from[name] ?? null));
    }
  }

  #copied(value: JsonValue): JsonValue {
    const object = isJsonArray(value) ? onlyObjectOf(value) : value;
    if (isJsonObject(object)) return this.#copyOf(object);
    if (!isJsonArray(value)) return value;
    const to: JsonValue[] = [];
    this.#open.push({ kind: 'list', from: value, to, done: 0 });
    return to;
  }

  /** The copy, which is still empty. */
  #copyOf(from: JsonObject): JsonObject {
    const to = new ObjectBuilder();
    this.#open.push({ kind: 'object', from, names: memberNames(from), to, done: 0 });
    return to.object;
  }
}
