import type { SyslogHeader } from './syslogHeader.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** `Oct 11 22:14:15`, with a year or a fraction as some devices have it, or RFC 3339 as rsyslog writes it. */
const plainTime = /([A-Z][a-z]{2}) {1,2}(\d{1,2}) (?:(\d{4}) )?(\d\d):(\d\d):(\d\d)(\.\d{1,9})?:? /y;
const isoTime = /(\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)) /y;
const hostname = /([^\s:[\]]{1,255}) (?=\S)/y;
const tag = /([^\s:[\]]{1,64})(?:\[([^\]\s]{1,64})\])?: ?/y;

const dayMicros = 86_400_000_000;

/**
 * Reads the header of RFC 3164 (section 4.1) from `at`, after the priority. Every part may be missing: the rest is the
 * text. A time without a zone is in UTC. One without a year is the latest that is not more than a day after
 * the arrival.
 */
export function readHeader3164(text: string, at: number, arrivalMicros: number): SyslogHeader {
  const none = { msgId: undefined, structuredData: undefined };
  const time = readTime(text, at, arrivalMicros);
  if (time === undefined) {
    return { ...none, timestamp: undefined, host: undefined, ...tagAt(text, at) };
  }
  hostname.lastIndex = time.end;
  const host = hostname.exec(text)?.[1];
  const afterHost = host === undefined ? time.end : hostname.lastIndex;
  return { ...none, timestamp: time.timestamp, host, ...tagAt(text, afterHost) };
}

function tagAt(text: string, at: number): Pick<SyslogHeader, 'appName' | 'procId' | 'textAt'> {
  tag.lastIndex = at;
  const match = tag.exec(text);
  if (match === null) return { appName: undefined, procId: undefined, textAt: at };
  return { appName: match[1], procId: match[2], textAt: tag.lastIndex };
}

function readTime(
  text: string,
  at: number,
  arrivalMicros: number,
): { readonly timestamp: string; readonly end: number } | undefined {
  isoTime.lastIndex = at;
  const iso = isoTime.exec(text)?.[1];
  if (iso !== undefined) return { timestamp: iso, end: isoTime.lastIndex };
  plainTime.lastIndex = at;
  const match = plainTime.exec(text);
  const month = months.indexOf(match?.[1] ?? '') + 1;
  if (match === null || month === 0) return undefined;
  const [, , day = '', year, hour = '', minute = '', second = '', fraction = ''] = match;
  const withYear = (of: number) =>
    `${String(of).padStart(4, '0')}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}T${hour}:${minute}:${second}${fraction}Z`;
  const end = plainTime.lastIndex;
  if (year !== undefined) return { timestamp: withYear(Number(year)), end };
  const thisYear = new Date((arrivalMicros + dayMicros) / 1000).getUTCFullYear();
  const timestamp = withYear(thisYear);
  const isAhead = Date.parse(timestamp) * 1000 > arrivalMicros + dayMicros;
  return { timestamp: isAhead ? withYear(thisYear - 1) : timestamp, end };
}
