import type { Micros } from '../time/instant.ts';

/** How far the clocks of a zone are ahead of UTC at a time. */
export type Clock = (micros: Micros) => Micros;

/** Periods of time that follow each other: those of a length, or those of calendar months. */
export interface Buckets {
  readonly unit: 'micros' | 'months';
  /** Length in the unit. */
  readonly length: number;
  /** A start, on the clock. */
  readonly origin: Micros;
  /** Days and months are those of this clock, so they can be an hour longer or shorter. */
  readonly clock: Clock;
}

export const second = 1e6;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export const utc: Clock = () => 0;

/** The clock of a zone with an IANA name. Throws a RangeError for another name. */
export function clockOf(timeZone: string): Clock {
  if (timeZone === 'UTC') return utc;
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  // No zone changes its clocks at other times than quarters of hours, and asking the format for each of many times is slow.
  const known = new Map<number, Micros>();
  return (micros) => {
    const quarter = Math.floor(micros / (15 * minute));
    const ahead = known.get(quarter) ?? aheadIn(format.formatToParts((quarter * 15 * minute) / 1000));
    known.set(quarter, ahead);
    return ahead;
  };
}

function aheadIn(parts: readonly Intl.DateTimeFormatPart[]): Micros {
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(text) ?? [];
  const ahead = Number(hours) * hour + Number(minutes) * minute + Number(seconds) * second;
  return sign === '-' ? -ahead : ahead;
}

/** A Sunday. The buckets of GoogleSQL are counted from it. */
const sunday1950 = Date.UTC(1950, 0, 1) * 1000;

export const ofMicros = (length: number, clock = utc, origin = sunday1950): Buckets => ({
  unit: 'micros',
  length,
  origin,
  clock,
});

export const ofMonths = (length: number, clock = utc): Buckets => ({
  unit: 'months',
  length,
  origin: sunday1950,
  clock,
});

/** Weeks from a day: 0 is Sunday. */
export const ofWeeks = (firstDay: number, clock = utc): Buckets =>
  ofMicros(7 * day, clock, sunday1950 + firstDay * day);

/** The start of the bucket that a time is in. */
export const startAt = (buckets: Buckets, micros: Micros): Micros => shifted(buckets, micros, 0);

/** The end of the bucket that a time is in, which is the start of the next one. */
export const endAt = (buckets: Buckets, micros: Micros): Micros => shifted(buckets, micros, 1);

function shifted({ unit, length, origin, clock }: Buckets, micros: Micros, by: number): Micros {
  const ahead = clock(micros);
  const shown = micros + ahead;
  if (unit === 'months') {
    const first = monthsOf(origin);
    const months = (Math.floor((monthsOf(shown) - first) / length) + by) * length + first;
    return whenShown(clock, Date.UTC(Math.floor(months / 12), months % 12, 1) * 1000, ahead);
  }
  const start = (Math.floor((shown - origin) / length) + by) * length + origin;
  // Clocks that are set back show an hour twice. Midnight is shown once.
  return length < day ? start - ahead : whenShown(clock, start, ahead);
}

function monthsOf(shown: Micros): number {
  const date = new Date(shown / 1000);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The time at which a clock shows something. `near`: how far it is ahead about then. */
function whenShown(clock: Clock, shown: Micros, near: Micros): Micros {
  return shown - clock(shown - clock(shown - near));
}

/** A width in words: `5 min`, `1 d`, `3 months`. */
export function widthText({ unit, length }: Buckets): string {
  if (unit === 'months') {
    const [count, name] = length % 12 === 0 ? [length / 12, 'year'] : [length, 'month'];
    return `${count} ${name}${count === 1 ? '' : 's'}`;
  }
  const [size, name] = ([
    [day, 'd'],
    [hour, 'h'],
    [minute, 'min'],
    [second, 's'],
  ].find(([each]) => length % Number(each) === 0) ?? [1000, 'ms']) as [number, string];
  return `${length / size} ${name}`;
}

/** Lengths that *_TRUNC has, of which a few times can tell. */
const short = [day, hour, minute, second].map((length) => ofMicros(length));

/** Whole days and longer. */
const long = (clock: Clock): readonly Buckets[] => [
  ofMonths(12, clock),
  ofMonths(3, clock),
  ofMonths(1, clock),
  ofWeeks(1, clock),
  ofWeeks(0, clock),
  ofMicros(day, clock),
];

const minutesUsual = [720, 360, 180, 120, 60, 30, 15, 10, 5, 1];
const secondsUsual = [30, 15, 10, 5, 1];

const usual: readonly Buckets[] = [
  ...long(utc),
  ...minutesUsual.map((length) => ofMicros(length * minute)),
  ...secondsUsual.map((length) => ofMicros(length * second)),
];

/** Of fewer times, all can be starts of long buckets by chance. */
const timesMin = 3;

/**
 * The buckets whose starts all times are: the longest of those that the query names; or else a step that most times are
 * apart, or a usual length. Null if they are none, such as times of single events.
 *
 * @param times ascending, each once
 * @param clock of the page, whose days and months can have been asked for
 */
export function bucketsOf(times: readonly Micros[], named: readonly Buckets[], clock: Clock): Buckets | null {
  const ofNamed = longest(named.filter((buckets) => areStarts(times, buckets)));
  if (ofNamed !== null) return ofNamed;
  const [first] = times;
  if (first === undefined) return null;
  const inUtc = (times.length < timesMin ? short : usual).find((buckets) => areStarts(times, buckets)) ?? null;
  const step = stepOf(times);
  if (step !== null && step > sizeOf(inUtc)) return ofMicros(step, utc, first);
  // Days of other clocks start at hours of UTC.
  const inZone =
    times.length < timesMin || sizeOf(inUtc) >= day ? undefined : long(clock).find((each) => areStarts(times, each));
  return inZone ?? inUtc;
}

const areStarts = (times: readonly Micros[], buckets: Buckets): boolean =>
  times.every((time) => startAt(buckets, time) === time);

/** Its shortest length; 0 for none. */
export const sizeOf = (buckets: Buckets | null): Micros =>
  buckets === null ? 0 : buckets.length * (buckets.unit === 'months' ? 28 * day : 1);

const longest = (all: readonly Buckets[]): Buckets | null =>
  all.reduce<Buckets | null>((best, each) => (sizeOf(each) > sizeOf(best) ? each : best), null);

/** The greatest common step of times, if half of them or more are one step from the one before. */
function stepOf(times: readonly Micros[]): number | null {
  if (times.length < timesMin) return null;
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  const step = steps.reduce(greatestCommon);
  return step >= second && steps.filter((each) => each === step).length * 2 >= steps.length ? step : null;
}

function greatestCommon(a: number, b: number): number {
  return b === 0 ? a : greatestCommon(b, a % b);
}
