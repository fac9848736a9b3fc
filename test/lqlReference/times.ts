import { Refused, type Time, type Unit } from './query.ts';

const perSecond = 1_000_000n;
const spans: Readonly<Partial<Record<Unit, bigint>>> = {
  second: perSecond,
  minute: 60n * perSecond,
  hour: 3600n * perSecond,
  day: 86_400n * perSecond,
};

const timePattern = String.raw`\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?(?:Z|[+-]\d{2}:\d{2})?)?|\d{16}|\d{13}|\d{10}`;
const part = (digits: string): string => String.raw`(?:\d{${digits}}|\{\d{${digits}}\.\.\d{${digits}}\})`;
const bracePattern = `${part('4')}-${part('2')}-${part('2')}(?:T${part('2')}:${part('2')}:${part('2')}(?:\\.${part('1,6')})?(?:Z|[+-]\\d{2}:\\d{2})?)?`;
const unitPattern =
  'seconds|second|minutes|minute|hours|hour|days|day|weeks|week|months|month|years|year|mm|s|m|h|d|w|y';

const forms = {
  range: new RegExp(`^(${timePattern})\\.\\.(${timePattern})$`),
  braces: new RegExp(`^${bracePattern}$`),
  point: new RegExp(`^(?:${timePattern})$`),
  since: new RegExp(`^(?:this@|last@(\\d{0,4}))(${unitPattern})$`),
};

const letters: Readonly<Record<string, Unit>> = {
  s: 'second',
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  mm: 'month',
  y: 'year',
};

/** The value of a time clause; null where the text is none, or names a time that does not exist. */
export function readTime(text: string): Time | null {
  if (text === 'now') return { kind: 'now' };
  if (text === 'today' || text === 'yesterday') return { kind: 'day', ago: text === 'today' ? 0 : 1 };
  const since = forms.since.exec(text);
  if (since !== null) {
    const unit = letters[since[2] ?? ''] ?? ((since[2] ?? '').replace(/s$/, '') as Unit);
    const digits = since[1] === undefined ? '0' : since[1] === '' ? '1' : since[1];
    return { kind: 'since', count: Number(digits), unit };
  }
  const range = forms.range.exec(text);
  if (range !== null) return between(range[1] ?? '', range[2] ?? '');
  if (forms.point.test(text)) {
    const micros = microsOf(text);
    return micros === null ? null : { kind: 'point', micros };
  }
  if (!text.includes('{') || !forms.braces.test(text)) return null;
  const corner = (which: string): string => text.replaceAll(/\{(\d+)\.\.(\d+)\}/g, which);
  return between(corner('$1'), corner('$2'));
}

function between(from: string, to: string): Time | null {
  const [start, end] = [microsOf(from), microsOf(to)];
  return start === null || end === null ? null : { kind: 'between', from: start, to: end };
}

const daysOf = (year: number, month: number, day: number): number => {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getTime() / 86_400_000;
};

/** Microseconds since 1970; null where there is no such day, time or offset. Without an offset UTC. */
export function microsOf(text: string): bigint | null {
  if (/^\d+$/.test(text)) {
    const digits = BigInt(text);
    return text.length === 10 ? digits * perSecond : text.length === 13 ? digits * 1000n : digits;
  }
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))?)?$/.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0));
  const [fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = match.slice(7);
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  if (new Date(daysOf(year, month, day) * 86_400_000).getUTCDate() !== day) return null;
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  if (offset > 14 * 60 || Number(offsetMinutes) > 59) return null;
  const seconds = daysOf(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second;
  const shifted = BigInt(seconds) - BigInt(sign === '-' ? -offset : offset) * 60n;
  const micros = shifted * perSecond + BigInt(fraction.padEnd(6, '0'));
  return micros < -62_135_596_800_000_000n || micros > 253_402_300_799_999_999n ? null : micros;
}

/** The start of the unit that a time falls into. Weeks start on Monday. */
export function truncated(micros: bigint, unit: Unit): bigint {
  const floor = (span: bigint): bigint => micros - (((micros % span) + span) % span);
  const span = spans[unit];
  if (span !== undefined) return floor(span);
  const day = floor(86_400n * perSecond);
  const date = new Date(Number(day / 1000n));
  if (unit === 'week') return day - BigInt((date.getUTCDay() + 6) % 7) * 86_400n * perSecond;
  const month = unit === 'month' ? date.getUTCMonth() + 1 : 1;
  return BigInt(daysOf(date.getUTCFullYear(), month, 1)) * 86_400n * perSecond;
}

/** So many units earlier than the start of a unit; not before the first year. */
export function earlier(start: bigint, count: number, unit: Unit): bigint {
  const span = unit === 'week' ? 7n * 86_400n * perSecond : spans[unit];
  if (span !== undefined) return start - BigInt(count) * span;
  const date = new Date(Number(start / 1000n));
  const months = date.getUTCFullYear() * 12 + date.getUTCMonth() - count * (unit === 'month' ? 1 : 12);
  if (months < 12) return -62_135_596_800_000_000n;
  return BigInt(daysOf(Math.floor(months / 12), (months % 12) + 1, 1)) * 86_400n * perSecond;
}

/** Where a time value starts, and whether a time lies in it. */
export function startAndTest(time: Time, now: bigint): { start: bigint; holds: (at: bigint) => boolean } {
  switch (time.kind) {
    case 'now':
      return { start: now, holds: (at) => at === now };
    case 'point':
      return { start: time.micros, holds: (at) => at === time.micros };
    case 'between':
      return { start: time.from, holds: (at) => at >= time.from && at <= time.to };
    case 'day': {
      const start = earlier(truncated(now, 'day'), time.ago, 'day');
      return { start, holds: (at) => truncated(at, 'day') === start };
    }
    case 'since': {
      const start = earlier(truncated(now, time.unit), time.count, time.unit);
      return { start, holds: (at) => at >= start && at <= now };
    }
  }
}

/** Whether a time meets a time clause. After and up to a range of time could mean either end. */
export function timeTest(op: string, time: Time, now: bigint): (at: bigint) => boolean {
  const isPoint = time.kind === 'point' || time.kind === 'now';
  if (!isPoint && (op === ':>' || op === ':<=')) throw new Refused(`${op} before a range of time`);
  const { start, holds } = startAndTest(time, now);
  if (op === ':') return holds;
  return (at) => (op === ':>=' ? at >= start : op === ':<=' ? at <= start : op === ':>' ? at > start : at < start);
}

/** As the plain profile writes a TIMESTAMP. */
export function written(micros: bigint): string {
  const second = truncated(micros, 'second');
  const whole = new Date(Number(second / 1000n)).toISOString().slice(0, 19);
  return `${whole}.${String(micros - second).padStart(6, '0')}Z`;
}
