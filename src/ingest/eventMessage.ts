import { type JsonObject, type JsonValue, memberOf } from '../core/jsonValue.ts';

export interface EventMessage {
  /** A message that is not text is stored as its JSON. */
  readonly value: JsonValue;
  /** The member that held the message; null if the event has none. */
  readonly member: string | null;
}

/**
 * Returns the message of an event (streams.md, row "event"): `event_message`, else `message`, else `log` if it is text
 * (Fluent Bit), else empty. Null counts as absent.
 */
export function eventMessage(event: JsonObject): EventMessage {
  for (const member of ['event_message', 'message'] as const) {
    const value = memberOf(event, member) ?? null;
    if (value !== null) return { value, member };
  }
  const log = memberOf(event, 'log');
  return typeof log === 'string' ? { value: log, member: 'log' } : { value: '', member: null };
}
