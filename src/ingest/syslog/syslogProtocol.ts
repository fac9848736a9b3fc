import { Pause } from '../../core/concurrency/turns.ts';
import type { SentEvent } from '../decode.ts';
import type { Protocol } from '../protocol.ts';
import { rejected } from '../rejection.ts';
import type { SyslogFrame } from './frames.ts';
import { type SyslogContext, syslogEvent } from './syslogEvent.ts';

/** Maximum bytes of one message. RFC 5424 asks for at least 2,048. */
export const syslogMessageBytesMax = 64 * 1024;

/** Messages of syslog that were already divided; the body only counts. */
export function syslogProtocol(frames: readonly SyslogFrame[], context: SyslogContext): Protocol {
  return () => ({
    async decode(_body, _limits, turns) {
      const pause = new Pause(turns);
      const events: SentEvent[] = [];
      for (const frame of frames) {
        events.push(eventOf(frame, context));
        if (pause.isDue(frameWork + (frame.kind === 'message' ? frame.bytes.length : 0))) await pause.take();
      }
      return { events, sourceName: undefined };
    },
  });
}

/** The fixed work per message, expressed as bytes that take as long. */
const frameWork = 1000;

function eventOf(frame: SyslogFrame, context: SyslogContext): SentEvent {
  if (frame.kind === 'message') return { kind: 'value', value: syslogEvent(frame.bytes.toString('utf8'), context) };
  const limit = `at most ${syslogMessageBytesMax} are allowed`;
  return rejected('event.too_large', `The message has ${frame.bytes} bytes; ${limit}.`);
}
