import { type JsonObject, memberOf } from '../core/jsonValue.ts';
import { writeJson } from '../core/writeJson.ts';

export interface EventMessage {
  readonly text: string;
  /** The member that it came from; null where the event has no message. */
  readonly member: string | null;
}

/**
 * The text of the event (streams.md, row "event"): `event_message`, else `message`, else `log` where
 * that is text (Fluent Bit), else empty. A message that is not text is kept as its JSON. A null is
 * as good as absent.
 */
export function eventMessage(event: JsonObject): EventMessage {
  for (const member of ['event_message', 'message'] as const) {
    const value = memberOf(event, member) ?? null;
    if (value !== null) return { text: typeof value === 'string' ? value : writeJson(value), member };
  }
  const log = memberOf(event, 'log');
  return typeof log === 'string' ? { text: log, member: 'log' } : { text: '', member: null };
}
