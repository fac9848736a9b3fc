const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const dayMs = 24 * 3_600_000;

/** ISO 8601 and RFC 3339 at the beginning, also in brackets, with a space for the T, and with a comma in the seconds. */
const iso =
  /^[[(]?(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|UTC|GMT|[+-]\d\d:?\d\d)?(?![\w.])/i;
/** RFC 3164, as syslog writes it to files, also after its priority: no year and no zone. */
const syslog = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?\s/;
/** The common log format of web servers, where the time follows the client and the user. */
const common = /^[^[]{1,300}\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\]/;
/** Seconds or milliseconds since 1970. */
const epoch = /^[[(]?(\d{10})(?:\.(\d{1,9})|(\d{3}))?(?![\w.])/;

/**
 * The time that a line of a log begins with, in RFC 3339; null if there is none. A time without a zone is in that of
 * this machine. One without a year is the last such time, up to a day from now.
 */
export function lineTime(line: string, nowMicros: number): string | null {
  const found = iso.exec(line);
  if (found !== null) {
    const [, year, month, day, hour, minute, second, fraction, zone] = found;
    return written(fields(year, month, day, hour, minute, second), fraction, zone);
  }
  const ofServer = common.exec(line);
  if (ofServer !== null) {
    const [, day, month = '', year, hour, minute, second, zone] = ofServer;
    return written(fields(year, monthOf(month), day, hour, minute, second), undefined, zone);
  }
  const ofSyslog = syslog.exec(line);
  if (ofSyslog !== null) return syslogTime(ofSyslog, nowMicros / 1000);
  const [, seconds, fraction, milliseconds] = epoch.exec(line) ?? [];
  return seconds === undefined ? null : withFraction(Number(seconds) * 1000, fraction ?? milliseconds);
}

type Fields = readonly [year: number, month: number, day: number, hour: number, minute: number, second: number];

const fields = (...[year, month, day, hour, minute, second]: readonly (string | undefined)[]): Fields => [
  Number(year),
  Number(month),
  Number(day),
  Number(hour),
  Number(minute),
  Number(second),
];

const monthOf = (name: string): string => String(months.indexOf(name.toLowerCase()) + 1);

function syslogTime(
  [, month = '', day, hour, minute, second, fraction]: RegExpExecArray,
  nowMs: number,
): string | null {
  const inYear = (year: number) =>
    written(fields(String(year), monthOf(month), day, hour, minute, second), fraction, undefined);
  const thisYear = new Date(nowMs).getFullYear();
  const first = inYear(thisYear);
  const isAhead = first !== null && Date.parse(first) > nowMs + dayMs;
  return first === null || isAhead ? inYear(thisYear - 1) : first;
}

/** Null if there is no such time, as for a thirteenth month. */
function written(at: Fields, fraction: string | undefined, zone: string | undefined): string | null {
  const [year, month, day, hour, minute, second] = at;
  const utcMs = Date.UTC(year, month - 1, day, hour, minute, second);
  const isReal = new Date(utcMs).toISOString().startsWith(utcText(at));
  if (!isReal) return null;
  if (zone === undefined) return withFraction(new Date(year, month - 1, day, hour, minute, second).getTime(), fraction);
  return withFraction(utcMs - offsetMs(zone), fraction);
}

function utcText([year, ...others]: Fields): string {
  const [month, day, hour, minute, second] = others.map((each) => String(each).padStart(2, '0'));
  return `${String(year).padStart(4, '0')}-${month}-${day}T${hour}:${minute}:${second}`;
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

const withFraction = (ms: number, fraction: string | undefined): string =>
  `${new Date(ms).toISOString().slice(0, 19)}${fraction === undefined ? '' : `.${fraction}`}Z`;
