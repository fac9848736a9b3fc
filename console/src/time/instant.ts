/** Microseconds since 1970. A number holds them exactly until the year 2255. */
export type Micros = number;

const perSecond = 1_000_000;

/** Reads RFC 3339 with up to six digits after the point. Times without a zone are UTC. Undefined if it is none. */
export function parseInstant(text: string): Micros | undefined {
  const [, date, time = '00:00:00', fraction = '', zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const seconds = Date.parse(`${date}T${time.length === 5 ? `${time}:00` : time}${zone}`) / 1000;
  if (!Number.isFinite(seconds)) return undefined;
  return seconds * perSecond + Number(fraction.slice(0, 6).padEnd(6, '0'));
}

/** RFC 3339 in UTC, with as many digits as are needed. */
export function printInstant(micros: Micros): string {
  const whole = Math.floor(micros / perSecond);
  const rest = micros - whole * perSecond;
  const text = new Date(whole * 1000).toISOString().slice(0, 19);
  return rest === 0 ? `${text}Z` : `${text}.${String(rest).padStart(6, '0').replace(/0+$/, '')}Z`;
}

/** A zone of the console: UTC, or the one of the browser. */
export type Zone = 'UTC' | 'local';

export const localZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export const zoneName = (zone: Zone): string => (zone === 'UTC' ? 'UTC' : localZone());

const formats = {
  time: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
  minute: { hour: '2-digit', minute: '2-digit' },
  day: { month: 'short', day: '2-digit' },
  month: { month: 'short', year: 'numeric' },
  date: { month: 'short', day: '2-digit', year: 'numeric' },
  dayTime: { month: 'short', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  full: {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Writes times of one zone. `Intl` knows its days of 23 and 25 hours. */
export function timeWriter(zone: Zone) {
  const made = new Map<string, Intl.DateTimeFormat>();
  return (micros: Micros, form: keyof typeof formats): string => {
    let format = made.get(form);
    if (format === undefined) {
      const timeZone = zone === 'UTC' ? { timeZone: 'UTC' } : {};
      format = new Intl.DateTimeFormat(form === 'full' ? 'sv-SE' : 'en-GB', {
        ...formats[form],
        ...timeZone,
        hourCycle: 'h23',
      });
      made.set(form, format);
    }
    return format.format(micros / 1000);
  };
}

export type WriteTime = ReturnType<typeof timeWriter>;

/** The six digits after the point of a time. */
export const fractionOf = (micros: Micros): string =>
  String(((micros % perSecond) + perSecond) % perSecond).padStart(6, '0');

/** How long ago, in the largest unit that fits. */
export function agoText(micros: Micros, now: Micros): string {
  const seconds = Math.max(0, Math.round((now - micros) / perSecond));
  const [size, unit] =
    seconds < 90 ? [1, 's'] : seconds < 5400 ? [60, 'min'] : seconds < 129_600 ? [3600, 'h'] : [86_400, 'd'];
  return `${Math.round(seconds / size)} ${unit} ago`;
}

export const nowMicros = (): Micros => Date.now() * 1000;

/** The time some days from now, or before it, to the second, as the API takes it. */
export const inDays = (days: number): string =>
  printInstant(Math.floor(nowMicros() / perSecond) * perSecond + days * 86_400e6);
