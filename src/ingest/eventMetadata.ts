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
 * Returns the metadata of an event before the project is copied in (streams.md, row "event"). That is the object as sent.
 * If it was sent as a list of one object, one-element lists of objects are unwrapped at every level. Top-level members
 * that are neither in `known` nor already present are added. Null if there is neither.
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

/** A copy of the object with the member set; null counts as an empty object. */
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
