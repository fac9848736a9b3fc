import { type JsonObject, type JsonValue, newJsonObject, setMember } from '../../core/jsonValue.ts';
import { parseRfc3339 } from '../rfc3339.ts';
import { readHeader3164 } from './rfc3164.ts';
import { readHeader5424 } from './rfc5424.ts';

export interface SyslogContext {
  /** When the message arrived, in microseconds since 1970; it gives the year of a time that has none. */
  readonly arrivalMicros: number;
  /** The project of all messages. */
  readonly project: string;
}

const facilities = [
  'kern',
  'user',
  'mail',
  'daemon',
  'auth',
  'syslog',
  'lpr',
  'news',
  'uucp',
  'cron',
  'authpriv',
  'ftp',
  'ntp',
  'audit',
  'alert',
  'clock',
  'local0',
  'local1',
  'local2',
  'local3',
  'local4',
  'local5',
  'local6',
  'local7',
] as const;
const severities = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const;

/**
 * Converts a message of syslog to the event that a JSON sender would have written. A message that is in no known form is
 * kept whole as the text, and a time that does not exist is left out.
 */
export function syslogEvent(text: string, { arrivalMicros, project }: SyslogContext): JsonObject {
  const priority = /^<(\d{1,3})>/.exec(text);
  const value = Number(priority?.[1] ?? 256);
  const isKnown = value < facilities.length * severities.length;
  const at = isKnown ? (priority?.[0].length ?? 0) : 0;
  const header = (isKnown ? readHeader5424(text, at) : undefined) ?? readHeader3164(text, at, arrivalMicros);
  const { timestamp } = header;
  const metadata = newJsonObject();
  const keep = (name: string, member: JsonValue | undefined) => {
    if (member !== undefined) setMember(metadata, name, member);
  };
  keep('facility', isKnown ? facilities[value >> 3] : undefined);
  keep('severity', isKnown ? severities[value & 7] : undefined);
  keep('host', header.host);
  keep('app_name', header.appName);
  keep('proc_id', header.procId);
  keep('msg_id', header.msgId);
  keep('structured_data', header.structuredData);
  return {
    ...(timestamp === undefined || parseRfc3339(timestamp) === undefined ? {} : { timestamp }),
    event_message: text.slice(header.textAt),
    project,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}
