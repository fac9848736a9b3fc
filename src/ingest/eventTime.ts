import { type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';
import { quoteValue } from './quoteValue.ts';
import { type RejectedEvent, rejected } from './rejection.ts';
import { type Moment, parseRfc3339 } from './rfc3339.ts';
import type { SenderTerms } from './senderTerms.ts';

export type EventTime =
  /** The time of the event, stored in microseconds, and the member that gave it; null if it is the arrival time. */
  (Moment & { readonly kind: 'time'; readonly member: string | null }) | RejectedEvent;

/**
 * Determines the time of an event (streams.md, row "event"): `timestamp`, else `@timestamp` (Logstash), else `date`
 * (Fluent Bit), else its arrival. Null counts as absent.
 */
export function eventTime(event: JsonObject, arrivalMicros: number, terms: Pick<SenderTerms, 'time'>): EventTime {
  const member = timeMemberOf(event);
  if (member === null) return { kind: 'time', micros: arrivalMicros, nanos: 0, member };
  const value = memberOf(event, member) ?? null;
  const moment = member === 'date' ? dateMoment(value) : timestampMoment(value);
  if (moment === undefined) return invalid(member, value, terms.time);
  // Times further from 1970 have no exact microseconds: before 1685 or after 2255.
  if (!Number.isSafeInteger(moment.micros))
    return rejected('event.timestamp_invalid', `${terms.time ?? member} ${quoteValue(value)} is too far from 1970.`);
  return { kind: 'time', ...moment, member };
}

const timeMembers = ['timestamp', '@timestamp', 'date'] as const;

/** The member that gives the time of the event; null if none does. */
export function timeMemberOf(event: JsonObject): (typeof timeMembers)[number] | null {
  return timeMembers.find((member) => (memberOf(event, member) ?? null) !== null) ?? null;
}

function timestampMoment(value: JsonValue): Moment | undefined {
  if (typeof value === 'string') return parseRfc3339(value);
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isInteger(value))) return momentByDigits(value);
  return undefined;
}

const whole = (micros: number): Moment => ({ micros, nanos: 0 });

/** Fluent Bit's formats: seconds with a fraction, RFC 3339, and (`epoch_ms`) the integers of `timestamp`. */
function dateMoment(value: JsonValue): Moment | undefined {
  const known = timestampMoment(value);
  if (known !== undefined || typeof value !== 'number' || !(value >= 0 && value < 1e11)) return known;
  const seconds = Math.floor(value);
  return whole(seconds * 1_000_000 + Math.round((value - seconds) * 1_000_000));
}

/**
 * Reads an integer whose number of digits gives its unit: 10 seconds, 13 milliseconds, 16 microseconds, 19 nanoseconds.
 */
function momentByDigits(value: number | bigint): Moment | undefined {
  const exact = BigInt(value);
  if (exact < 0n) return undefined;
  switch (exact.toString().length) {
    case 10:
      return whole(Number(exact) * 1_000_000);
    case 13:
      return whole(Number(exact) * 1000);
    case 16:
      return whole(Number(exact));
    case 19:
      return { micros: Number(exact / 1000n), nanos: Number(exact % 1000n) };
    default:
      return undefined;
  }
}

/** `place`: where the sender wrote the time, if that is another member, which may also have digits in quotes. */
function invalid(member: string, value: JsonValue, place: string | null): RejectedEvent {
  const forms =
    'an RFC 3339 date and time with an offset, such as 2026-05-01T10:00:30.123456Z, or a positive integer of 10 (seconds), 13 (ms), 16 (µs) or 19 (ns) digits';
  const fluent = member === 'date' ? ', or seconds with a fraction' : '';
  const isQuoted = place === null && typeof value === 'string' && /^\d+$/.test(value);
  const hint = isQuoted ? ' Send digits as a JSON number, without quotes.' : '';
  return rejected(
    'event.timestamp_invalid',
    `${place ?? member} ${quoteValue(value)} is not ${forms}${fluent}.${hint}`,
  );
}
