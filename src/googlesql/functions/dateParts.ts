const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

const clock = ['microsecond', 'millisecond', 'second', 'minute', 'hour'] as const;
const weeks = ['week', ...weekdays.map((day) => `week(${day})`), 'isoweek'] as const;
const calendar = ['day', ...weeks, 'month', 'quarter', 'year', 'isoyear'] as const;

/**
 * The date parts that each use takes, normalised: lower case, `week(monday)` without blanks
 * (GoogleSQL reference, "date and time functions").
 */
export const dateParts = {
  /** TIME functions. */
  clock,
  /** TIMESTAMP_ADD, TIMESTAMP_DIFF: parts of fixed length. */
  elapsed: [...clock, 'day'],
  /** Truncation, last day and difference of dates. */
  calendar,
  /** Truncation and difference of DATETIME, truncation of TIMESTAMP. */
  datetime: [...clock, ...calendar],
  /** EXTRACT with an INT64 result. */
  number: [...clock, 'dayofweek', 'dayofyear', ...calendar],
  /** EXTRACT with an INT64 result from a DATE. */
  dateNumber: ['dayofweek', 'dayofyear', ...calendar],
  /** LAST_DAY. */
  lastDay: [...weeks, 'month', 'quarter', 'year', 'isoyear'],
  /** INTERVAL n PART. */
  interval: [...clock, 'day', 'week', 'month', 'quarter', 'year'],
  /** EXTRACT from an INTERVAL. */
  span: [...clock, 'day', 'month', 'year'],
  asDate: ['date'],
  asTime: ['time'],
  asDatetime: ['datetime'],
  /** NORMALIZE: not date parts, but also bare keywords. */
  normalForm: ['nfc', 'nfd', 'nfkc', 'nfkd'],
} as const satisfies Record<string, readonly string[]>;

export type DatePartGroup = keyof typeof dateParts;

/** The first day of a week part, Sunday 0; undefined for other parts. WEEK starts on Sunday (googlesql.md, section 3). */
export function weekStartOf(part: string): number | undefined {
  if (part === 'week') return 0;
  if (part === 'isoweek') return 1;
  const name = /^week\((\w+)\)$/.exec(part)?.[1];
  const day = weekdays.indexOf(name as (typeof weekdays)[number]);
  return day === -1 ? undefined : day;
}

/** Microseconds of the parts of fixed length. */
export const unitMicros: Readonly<Record<string, number>> = {
  microsecond: 1,
  millisecond: 1_000,
  second: 1_000_000,
  minute: 60_000_000,
  hour: 3_600_000_000,
  day: 86_400_000_000,
};
