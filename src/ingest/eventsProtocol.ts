import { bodyFormat } from './bodyFormat.ts';
import { decode } from './decode.ts';
import { eventReadingLimits } from './eventSize.ts';
import type { Protocol } from './protocol.ts';

/** Events in JSON or NDJSON, as streams.md describes them. */
export const eventsProtocol: Protocol = (contentType) => {
  const format = bodyFormat(contentType);
  return {
    decode: (body, limits, turns) => decode(body, format, limits.eventsMax, eventReadingLimits(limits), turns),
  };
};
