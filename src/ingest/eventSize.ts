import {
  hasMembersLeftOut,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
} from '../core/jsonValue.ts';

/** Members that are not kept in message and metadata, or are not where they say the time. */
const notCounted: ReadonlySet<string> = new Set(['id', 'timestamp', '@timestamp', 'date', 'project']);

/** Members whose names may not be kept either. */
const notNamed: ReadonlySet<string> = new Set(['event_message', 'message', 'log', 'metadata']);

/** Two quotes and a colon; the commas and braces of an object are at least one byte a member. */
const namingBytes = 4;

/**
 * So many members of one object are too large for an event, whatever they are: all but one of them have a name of
 * a byte or more, and a value.
 */
export function membersTooMany(bytesMax: number): number {
  return Math.floor(bytesMax / (namingBytes + 1)) + 2;
}

/**
 * Bytes that message and metadata of the event have at least, as they would be stored. Looks at no more of the event than
 * it takes to find more than `bytesMax`, so that one that is much too large is refused before the work on it.
 * What is not found here is measured where it has been written.
 */
export function bytesAtLeast(event: JsonObject, bytesMax: number): number {
  if (hasMembersLeftOut(event)) return bytesMax + 1;
  const sent = memberOf(event, 'metadata');
  const metadata = isJsonArray(sent) ? sent[0] : sent;
  let left = bytesMax;
  for (const name of memberNames(event)) {
    // Of two members of one name, that of metadata is kept.
    if (notCounted.has(name) || (isJsonObject(metadata) && Object.hasOwn(metadata, name))) continue;
    left = leftAfter(event[name] ?? null, notNamed.has(name) ? left : left - name.length - namingBytes);
    if (left < 0) break;
  }
  return bytesMax - left;
}

/**
 * What is left of so many bytes after the value was written, or more: a string may be a message, which has no quotes, and
 * a list of one object may be written as that object. Negative as soon as nothing is left.
 */
function leftAfter(value: JsonValue, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length;
  // A null may be as good as absent.
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
