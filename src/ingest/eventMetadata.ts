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
 * Returns the metadata of an event before the project is copied in (streams.md, row "event"), in steps. That is the object
 * as sent. If it was sent as a list of one object, one-element lists of objects are unwrapped at every level. Top-level
 * members that are neither in `known` nor already present are added. Null if there is neither.
 */
export function* eventMetadata(
  event: JsonObject,
  known: ReadonlySet<string>,
  alsoKnown: readonly (string | null)[],
): Generator<undefined, EventMetadata> {
  const sent = memberOf(event, 'metadata') ?? null;
  const only = isJsonArray(sent) ? onlyObjectOf(sent) : undefined;
  const object = isJsonObject(sent) ? sent : null;
  if (sent !== null && object === null && only === undefined) return refused(sent);
  const own = only === undefined ? object : yield* unwrapped(only);
  let gathered: ObjectBuilder | null = null;
  let passed = 0;
  for (const name of memberNames(event)) {
    if (++passed % stepMembers === 0) yield;
    if (known.has(name) || alsoKnown.includes(name)) continue;
    gathered ??= yield* copyOf(own);
    if (!Object.hasOwn(gathered.object, name)) gathered.set(name, event[name] ?? null);
  }
  return { kind: 'metadata', value: gathered === null ? own : gathered.object };
}

/** A copy of the object with the member set, made in steps; null counts as an empty object. */
export function* withMember(
  object: JsonObject | null,
  name: string,
  value: JsonValue,
): Generator<undefined, JsonObject> {
  const copy = yield* copyOf(object);
  copy.set(name, value);
  return copy.object;
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

/** A container, and its copy, which is still empty. */
type Copy =
  | { readonly kind: 'object'; readonly from: JsonObject; readonly to: ObjectBuilder }
  | { readonly kind: 'list'; readonly from: readonly JsonValue[]; readonly to: JsonValue[] };

/** Copies the object with all lists of one object in it unwrapped. Needs no recursion. */
function* unwrapped(root: JsonObject): Generator<undefined, JsonObject> {
  const result = new ObjectBuilder();
  const open: Copy[] = [{ kind: 'object', from: root, to: result }];
  const copied = (value: JsonValue): JsonValue => {
    const object = isJsonArray(value) ? onlyObjectOf(value) : value;
    if (isJsonObject(object)) {
      const to = new ObjectBuilder();
      open.push({ kind: 'object', from: object, to });
      return to.object;
    }
    if (!isJsonArray(value)) return value;
    const to: JsonValue[] = [];
    open.push({ kind: 'list', from: value, to });
    return to;
  };
  let passed = 0;
  for (let copy = open.pop(); copy !== undefined; copy = open.pop()) {
    const { kind, from, to } = copy;
    if (kind === 'object') {
      for (const name of memberNames(from)) {
        to.set(name, copied(from[name] ?? null));
        if (++passed % stepMembers === 0) yield;
      }
    } else {
      for (const element of from) {
        to.push(copied(element));
        if (++passed % stepMembers === 0) yield;
      }
    }
  }
  return result.object;
}

function* copyOf(object: JsonObject | null): Generator<undefined, ObjectBuilder> {
  const copy = new ObjectBuilder();
  if (object === null) return copy;
  let passed = 0;
  for (const name of memberNames(object)) {
    copy.set(name, object[name] ?? null);
    if (++passed % stepMembers === 0) yield;
  }
  return copy;
}
