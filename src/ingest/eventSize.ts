import {
  hasMembersLeftOut,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
} from '../core/jsonValue.ts';

/** Members that are not stored in message and metadata, or only if they do not give the time. */
const notCounted: ReadonlySet<string> = new Set(['id', 'timestamp', '@timestamp', 'date', 'project']);

/** Members whose names may not be stored either. */
const notNamed: ReadonlySet<string> = new Set(['event_message', 'message', 'log', 'metadata']);

/** Two quotes and a colon. Commas and braces of an object add at least one byte per member. */
const namingBytes = 4;

/**
 * The number of members that makes an object too large for an event, because all except one have a name of at least one
 * byte, and a value.
 */
export function membersTooMany(bytesMax: number): number {
  return Math.floor(bytesMax / (namingBytes + 1)) + 2;
}

/**
 * Lower limit of the stored size of message and metadata. Reads only as much of the event as it takes to exceed
 * `bytesMax`, so that a far too large event is refused before the real work. Anything else is measured when it is
 * written.
 */
export function bytesAtLeast(event: JsonObject, bytesMax: number): number {
  if (hasMembersLeftOut(event)) return bytesMax + 1;
  const sent = memberOf(event, 'metadata');
  const metadata = isJsonArray(sent) ? sent[0] : sent;
  let left = bytesMax;
  for (const name of memberNames(event)) {
    // If two members have the same name, the one in metadata is kept.
    if (notCounted.has(name) || (isJsonObject(metadata) && Object.hasOwn(metadata, name))) continue;
    left = leftAfter(event[name] ?? null, notNamed.has(name) ? left : left - name.length - namingBytes);
    if (left < 0) break;
  }
  return bytesMax - left;
}

/**
 * Upper limit of the bytes left after the value is written: a string may be a message, which has no quotes, and a list
 * of one object may be written as that object. Negative as soon as nothing is left.
 */
function leftAfter(value: JsonValue, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length;
  // Null may count as absent.
  if (value === null) return bytes;
  if (typeof value !== 'object') return bytes - 1;
  let left = bytes;
  if (isJsonArray(value)) {
    left -= Math.max(0, value.length - 1);
    for (const element of value) {
      if (left < 0) return left;
      left = leftAfter(element, left);
    }
    return left;
  }
  if (hasMembersLeftOut(value as JsonObject)) return -1;
  for (const name in value) {
    if (left < 0) return left;
    left = leftAfter(value[name] ?? null, left - name.length - namingBytes);
  }
  return left;
}
