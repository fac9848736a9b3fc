import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
  newJsonObject,
  setMember,
} from '../core/jsonValue.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';

export type EventMetadata = { readonly kind: 'metadata'; readonly value: JsonObject | null } | RejectedEvent;

/**
 * The metadata of an event before the project is copied in (streams.md, row "event"): the object as
 * sent, or, where it arrived as a list of one object, with one-element lists of objects unwrapped at
 * every level inside it; then every top-level member that is not in `known` and not there already.
 * Null where there is neither.
 */
export function eventMetadata(
  event: JsonObject,
  known: ReadonlySet<string>,
  alsoKnown: readonly (string | null)[],
): EventMetadata {
  const sent = sentMetadata(memberOf(event, 'metadata') ?? null);
  if (sent.kind === 'rejected') return sent;
  let gathered: Record<string, JsonValue> | null = null;
  for (const name of memberNames(event)) {
    if (known.has(name) || alsoKnown.includes(name)) continue;
    gathered ??= sent.value === null ? newJsonObject() : copyOf(sent.value);
    if (!Object.hasOwn(gathered, name)) setMember(gathered, name, event[name] ?? null);
  }
  return gathered === null ? sent : { kind: 'metadata', value: gathered };
}

/** The same object with the member set; null is an object without members. */
export function withMember(object: JsonObject | null, name: string, value: JsonValue): JsonObject {
  const copy = object === null ? newJsonObject() : copyOf(object);
  setMember(copy, name, value);
  return copy;
}

function sentMetadata(value: JsonValue): EventMetadata {
  if (value === null || isJsonObject(value)) return { kind: 'metadata', value };
  const only = isJsonArray(value) && value.length === 1 ? value[0] : undefined;
  if (isJsonObject(only)) return { kind: 'metadata', value: unwrapMembers(only) };
  const what = isJsonArray(value)
    ? `a list of ${value.length} ${value.length === 1 ? 'element that is no object' : 'elements'}`
    : quoteValue(value);
  return rejected('event.metadata_invalid', `metadata is ${what}; it must be an object or a list of one object.`);
}

function unwrapMembers(object: JsonObject): JsonObject {
  const result = newJsonObject();
  for (const name of memberNames(object)) setMember(result, name, unwrap(object[name] ?? null));
  return result;
}

function unwrap(value: JsonValue): JsonValue {
  if (isJsonObject(value)) return unwrapMembers(value);
  if (!isJsonArray(value)) return value;
  const only = value.length === 1 ? value[0] : undefined;
  return isJsonObject(only) ? unwrapMembers(only) : value.map(unwrap);
}

function copyOf(object: JsonObject): Record<string, JsonValue> {
  const copy = newJsonObject();
  for (const name of memberNames(object)) setMember(copy, name, object[name] ?? null);
  return copy;
}
