import { bind } from './sqlFragments.ts';

/** Parts of an INTERVAL, counted in months, days and microseconds; each is a HUGEINT. */
interface Parts {
  readonly months: string;
  readonly days: string;
  readonly micros: string;
}

/** An INTERVAL spans at most 10,000 years (GoogleSQL reference, "interval type"). */
const most = { months: 120_000, days: 3_660_000, micros: 3_660_000 * 86_400_000_000 };

const count = String.raw`\d{1,18}`;
const clock = `[+-]?${count}:${count}:${count}(?:\\.\\d{1,6})?`;
const upToMinutes = `[+-]?${count}(?::${count})?`;

/**
 * Down to microseconds, because an INTERVAL here has no nanoseconds. Years and months, days, and a time, of which the
 * outer parts may be omitted; or only months, days and hours.
 */
const plainForm = [
  `[+-]?${count}-${count}(?: [+-]?${count}(?: (?:${upToMinutes}|${clock}))?)?`,
  `[+-]?${count} [+-]?${count} (?:${upToMinutes}|${clock})`,
  `(?:[+-]?${count} )?${clock}`,
  `[+-]?${count} [+-]?${count}:${count}`,
].join('|');

/** ISO 8601: parts in any order, each with its own sign; parts of one unit are added up. */
const isoForm = `P(?:-?${count}[YMWD])+|P(?:-?${count}[YMWD])*T(?:-?${count}[HM]|-?${count}(?:[.,]\\d{1,6})?S)*`;

/** Reads an INTERVAL from a text such as `1-2 3 4:5:6.7` or `P1Y2M3DT4H5M6.7S`; NULL for other text. */
export function intervalFromText(text: string): string {
  return bind([text], (given = '') => {
    const cases = [
      `WHEN regexp_full_match(${given}, '${isoForm}') THEN ${interval(isoParts(given))}`,
      `WHEN regexp_full_match(${given}, '${plainForm}') THEN ${plainInterval(given)}`,
    ];
    return `CASE ${cases.join(' ')} END`;
  });
}

function interval({ months, days, micros }: Parts): string {
  return bind([months, days, micros], (m, d, u) => {
    const bounds = `abs(${m}) <= ${most.months} AND abs(${d}) <= ${most.days} AND abs(${u}) <= ${most.micros}`;
    const sum = `to_months(CAST(${m} AS INTEGER)) + to_days(CAST(${d} AS INTEGER)) + to_microseconds(CAST(${u} AS BIGINT))`;
    return `CASE WHEN ${bounds} THEN ${sum} END`;
  });
}

function isoParts(text: string): Parts {
  const date = `regexp_extract(${text}, '^P([^T]*)', 1)`;
  const time = `regexp_extract(${text}, 'T(.*)$', 1)`;
  const total = (part: string, unit: string): string =>
    sumOf(`regexp_extract_all(${part}, '(-?\\d+)${unit}', 1)`, (each) => `CAST(${each} AS HUGEINT)`);
  const seconds = sumOf(
    `regexp_extract_all(replace(${time}, ',', '.'), '(-?\\d+(?:\\.\\d+)?)S', 1)`,
    (each) => `CAST(trunc(CAST(${each} AS DECIMAL(28, 9)) * 1000000) AS HUGEINT)`,
  );
  return {
    months: `(${total(date, 'Y')} * 12 + ${total(date, 'M')})`,
    days: `(${total(date, 'W')} * 7 + ${total(date, 'D')})`,
    micros: `((${total(time, 'H')} * 60 + ${total(time, 'M')}) * 60000000 + ${seconds})`,
  };
}

const sumOf = (texts: string, read: (text: string) => string): string =>
  `coalesce(list_aggregate(list_transform(${texts}, lambda each: ${read('each')}), 'sum'), 0)`;

/** A text of three numbers begins with months. */
function plainInterval(text: string): string {
  const isOfMonths = `regexp_matches(${text}, '^[+-]?\\d+ [+-]?\\d+ ')`;
  return bind(
    [`CASE WHEN ${isOfMonths} THEN regexp_replace(${text}, '^([+-]?)', '\\10-') ELSE ${text} END`],
    (whole = '') =>
      bind([whole, `regexp_replace(${whole}, '^[+-]?\\d+-\\d+ ?', '')`], (all = '', rest = '') =>
        interval(plainParts(all, rest)),
      ),
  );
}

/** `rest` is the text after the months. */
function plainParts(all: string, rest: string): Parts {
  const whole = (from: string, form: string, group: number): string =>
    `coalesce(TRY_CAST(regexp_extract(${from}, '${form}', ${group}) AS HUGEINT), 0)`;
  const signed = (from: string, form: string, size: string): string =>
    `CASE WHEN regexp_extract(${from}, '${form}', 1) = '-' THEN -(${size}) ELSE ${size} END`;
  const ofMonths = String.raw`^([+-]?)(\d+)-(\d+)`;
  const ofClock = String.raw`(?:^| )([+-]?)(\d+)(?::(\d+))?(?::(\d+)(?:\.(\d+))?)?$`;
  const hasClock = `(contains(${rest}, ' ') OR contains(${rest}, ':'))`;
  const fraction = `CAST(left(rpad(regexp_extract(${rest}, '${ofClock}', 5), 6, '0'), 6) AS HUGEINT)`;
  const minutes = `${whole(rest, ofClock, 2)} * 60 + ${whole(rest, ofClock, 3)}`;
  const micros = `((${minutes}) * 60 + ${whole(rest, ofClock, 4)}) * 1000000 + ${fraction}`;
  return {
    months: signed(all, ofMonths, `${whole(all, ofMonths, 2)} * 12 + ${whole(all, ofMonths, 3)}`),
    days: whole(rest, String.raw`^([+-]?\d+)(?: |$)`, 1),
    micros: `CASE WHEN ${hasClock} THEN ${signed(rest, ofClock, micros)} ELSE 0 END`,
  };
}
