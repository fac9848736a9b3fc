import { type JsonObject, memberOf } from '../core/jsonValue.ts';
import { writeJson } from '../core/writeJson.ts';

export interface EventMessage {
  readonly text: string;
  /** The member that held the message; null if the event has none. */
  readonly member: string | null;
}

/**
 * Returns the message of an event (streams.md, row "event"): `event_message`, else `message`, else `log` if it is text
 * (Fluent Bit), else empty. A message that is not text is stored as its JSON. Null counts as absent.
 */
export function eventMessage(event: JsonObject): EventMessage {
  for (const member of ['event_message', 'message'] as const) {
    const value = memberOf(event, member) ?? null;
    if (value !== null) return { text: typeof value === 'string' ? value : writeJson(value), member };
  }
  const log = memberOf(event, 'log');
  return typeof log === 'string' ? { text: log, member: 'log' } : { text: '', member: null };
}
