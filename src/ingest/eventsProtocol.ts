import { bodyFormat } from './bodyFormat.ts';
import { decode } from './decode.ts';
import { membersTooMany } from './eventSize.ts';
import type { Protocol } from './protocol.ts';

/** Events in JSON or NDJSON, as streams.md describes them. */
export const eventsProtocol: Protocol = (contentType) => {
  const format = bodyFormat(contentType);
  return {
    decode: (body, { eventsMax, eventBytesMax }, turns) =>
      decode(body, format, eventsMax, { membersMax: membersTooMany(eventBytesMax) }, turns),
  };
};
