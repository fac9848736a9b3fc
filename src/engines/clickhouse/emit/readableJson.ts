/**
 * Whether ClickHouse's JSON functions can certainly read a JSON document. Its parser rejects a whole document for an integer
 * beyond 64 bits, a number beyond FLOAT64, a lone surrogate or more than 1,000 levels. False for some documents that it would
 * accept, such as those with a surrogate pair that is written as escapes.
 *
 * Ingestion records the events for which this is false.
 */
export function isReadableJson(text: string): boolean {
  return !unreadable.test(text) && !isDeep(text);
}

/**
 * Stands among the pathKeys at which an event is irregular if ClickHouse may be unable to read its metadata. It is no
 * pathKey, because those are lists.
 */
export const unreadableKey = 'unreadable';

/** Numbers that may be beyond 64 bits or beyond FLOAT64, and any surrogate. Numbers stand after a colon, bracket or comma. */
const unreadable = /[:[,]\s*(?:\d{20}|-\d{19}|-?[\d.]+[eE]\+?\d{3})|\\u[dD][89a-fA-F]/;

const levelsMax = 500;

/** Counts braces also in texts, so that it may only be too strict. */
function isDeep(text: string): boolean {
  let level = 0;
  for (const [bracket] of text.matchAll(/[{}[\]]/g)) {
    level += bracket === '{' || bracket === '[' ? 1 : -1;
    if (level > levelsMax) return true;
  }
  return false;
}
