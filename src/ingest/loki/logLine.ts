import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  memberNames,
  setMember,
} from '../../core/jsonValue.ts';
import { BadRecord } from '../badRecord.ts';
import { quoteValue } from '../quoteValue.ts';

/** One entry of a stream. */
export interface LogLine {
  /** Nanoseconds since 1970; 0 if the entry has no time. */
  readonly nanos: bigint;
  readonly line: string;
  readonly structuredMetadata: JsonObject;
}

/** Maximum labels of a stream, and pairs of structured metadata of a line. Loki itself allows 15 and 128 by default. */
export const pairsMax = 1000;

/** The time of a line, if it can be one in nanoseconds. */
export function checkedNanos(nanos: bigint): bigint {
  if (nanos === 0n || (nanos >= firstNanos && nanos <= lastNanos)) return nanos;
  throw new BadRecord(
    `its time ${nanos} is not in nanoseconds since 1970, which have 18 or 19 digits`,
    'event.timestamp_invalid',
  );
}

/** In March 1973. Smaller numbers are seconds, milliseconds or microseconds. */
const firstNanos = 10n ** 17n;
/** In the year 2262. */
const lastNanos = 2n ** 63n - 1n;

/**
 * The labels, or the structured metadata, as an object of scalars.
 *
 * @throws BadRecord if there are more than `pairsMax`, or a value is an object or an array.
 */
export function pairsOf(value: JsonValue | undefined, what: string): JsonObject {
  if (!isJsonObject(value)) throw new BadRecord(`${what} must be an object, not ${quoteValue(value ?? null)}`);
  const names = memberNames(value);
  if (names.length > pairsMax) throw tooManyPairs(what);
  for (const name of names) {
    const each = value[name] ?? null;
    if (isJsonObject(each) || isJsonArray(each)) {
      throw new BadRecord(`${what} has ${quoteValue(each)} as ${quoteValue(name)}; values must be text`);
    }
  }
  return value;
}

/** Sets the next pair. The last value of a repeated name counts. */
export function addPair(pairs: Record<string, JsonValue>, count: number, [name, value]: Pair, what: string): void {
  if (count > pairsMax) throw tooManyPairs(what);
  setMember(pairs, name, value);
}

export type Pair = readonly [name: string, value: string];

function tooManyPairs(what: string): BadRecord {
  return new BadRecord(`${what} must have at most ${pairsMax} members`);
}
