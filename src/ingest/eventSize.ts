import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  memberOf,
} from '../core/jsonValue.ts';

/** Members that are not kept in message and metadata, or are not where they say the time. */
const notCounted: ReadonlySet<string> = new Set(['id', 'timestamp', '@timestamp', 'date', 'project']);

/**
 * Whether message and metadata of the event, as they would be stored, have more than `bytesMax` bytes for certain. Looks at
 * no more of the event than it takes to say so, so that one that is much too large is refused before the work on it.
 * What is not found here is measured where it has been written.
 */
export function isSurelyTooLarge(event: JsonObject, bytesMax: number): boolean {
  const sent = memberOf(event, 'metadata');
  const metadata = isJsonArray(sent) ? sent[0] : sent;
  let left = bytesMax;
  for (const name of memberNames(event)) {
    // Of two members of one name, that of metadata is kept.
    if (notCounted.has(name) || (isJsonObject(metadata) && Object.hasOwn(metadata, name))) continue;
    left = leftAfter(event[name] ?? null, left);
    if (left < 0) return true;
  }
  return false;
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
  for (const name in value) {
    if (left < 0) return left;
    // Two quotes and a colon; the commas and braces of an object are at least one byte a member.
    left = leftAfter(value[name] ?? null, left - name.length - 4);
  }
  return left;
}
