import { quoteText } from '../emit/literal.ts';
import { elementForm, elementsOf, type TimeToFormat } from './formatTime.ts';
import { bind } from './sqlFragments.ts';

export type ParsedTime =
  | { readonly kind: 'sql'; readonly sql: string; readonly hasZone: boolean }
  | { readonly kind: 'unsupported'; readonly element: string }
  /** An element that the type does not have, such as hours of a DATE. */
  | { readonly kind: 'otherType'; readonly element: string };

const compositions: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  c: '%a %b %e %H:%M:%S %Y',
  r: '%I:%M:%S %p',
};

/** Elements with the engine's name for reading. */
const engineElements: Readonly<Record<string, string>> = {
  Y: '%Y',
  E4Y: '%Y',
  y: '%y',
  m: '%m',
  d: '%d',
  e: '%d',
  j: '%j',
  H: '%H',
  k: '%H',
  I: '%I',
  l: '%I',
  M: '%M',
  S: '%S',
  p: '%p',
  P: '%p',
  a: '%a',
  A: '%A',
  b: '%b',
  h: '%b',
  B: '%B',
  n: ' ',
  t: ' ',
  z: '%z',
  Ez: '%z',
  Z: '%Z',
  '%': '%%',
};

/**
 * Other forms that an element reads: the short or the long name, and blanks before a number that is padded with them
 * (GoogleSQL, "Format elements for date and time parts").
 */
const otherReadings: Readonly<Record<string, string>> = {
  ...{ e: ' %d', k: ' %H', l: ' %I' },
  ...{ a: '%A', A: '%a', b: '%B', h: '%B', B: '%b' },
};

/** The engine's formats that together read all forms of the elements marked with U+0001, the written one first. */
function readings(translated: string): readonly string[] {
  const at = translated.indexOf('\u0001');
  if (at === -1) return [translated];
  const element = translated.charAt(at + 1);
  const [before, after] = [translated.slice(0, at), readings(translated.slice(at + 2))];
  const isPadded = before === '' || before.endsWith(' ');
  const ways = [engineElements[element] ?? '', otherReadings[element] ?? ''].slice(
    0,
    isNumber.has(element) && isPadded ? 1 : 2,
  );
  return ways.flatMap((way) => after.map((rest) => before + way + rest));
}

const isNumber: ReadonlySet<string> = new Set(['e', 'k', 'l']);

/**
 * Reads text with strftime elements. The SQL returns a TIMESTAMP, NULL for text that does not match. Missing parts are
 * those of 1970-01-01 00:00:00. With an element for the zone, the result is UTC, otherwise local. `text` may be written
 * more than once.
 */
export function parseTime(format: string, text: string, kind: TimeToFormat['kind']): ParsedTime {
  for (const [whole, element = ''] of format.matchAll(elementForm))
    if (!elementsOf[kind].test(element)) return { kind: 'otherType', element: whole };
  if (format.trim() === '%s') {
    const seconds = `TRY_CAST(CASE WHEN regexp_full_match(trim(${text}), '-?[0-9]{1,12}') THEN trim(${text}) END AS BIGINT)`;
    return { kind: 'sql', sql: `make_timestamp(${seconds} * 1000000)`, hasZone: true };
  }
  const expanded = format.replace(/%%|%([a-zA-Z])/g, (whole: string, letter: string | undefined) =>
    letter === undefined ? whole : (compositions[letter] ?? whole),
  );
  const elements = new Set<string>();
  const week: WeekElement[] = [];
  let translated = '';
  let at = 0;
  for (const match of expanded.matchAll(elementForm)) {
    const [whole, element = ''] = match;
    translated += expanded.slice(at, match.index);
    at = match.index + whole.length;
    if (/^E[0-9*]S$/.test(element)) {
      translated += '%S\u0000';
      elements.add('S');
      continue;
    }
    const target = isWeek(element) ? weekStandIn : engineElements[element];
    if (isWeek(element)) week.push(element);
    if (target === undefined) return { kind: 'unsupported', element: whole };
    translated += otherReadings[element] === undefined ? target : `\u0001${element}`;
    elements.add(isWeek(element) ? element : target.slice(1));
  }
  const [inWeek] = week;
  if (inWeek !== undefined && (week.length > 1 || besideNoWeek.some((other) => elements.has(other))))
    return { kind: 'unsupported', element: `%${inWeek}` };
  const rest = expanded.slice(at);
  if (rest.includes('%')) return { kind: 'unsupported', element: rest.slice(rest.indexOf('%')) };
  const parsed = assemble((translated + rest).trim(), elements, text);
  if (inWeek === undefined || parsed.kind !== 'sql') return parsed;
  return { ...parsed, sql: bind([parsed.sql], (read) => firstDayOfWeek(read, inWeek)) };
}

type WeekElement = 'U' | 'W';

const isWeek = (element: string): element is WeekElement => element === 'U' || element === 'W';

/** The engine reads a week as minutes, which also have two digits. */
const weekStandIn = '%M';

/** Elements that specify a day themselves, or are read in place of a week. */
const besideNoWeek = ['M', 'm', 'd', 'j', 'b', 'B', 'a', 'A', 'z', 'Z'];

/**
 * The first day of a week in the year of the read time. Weeks begin on Sunday (%U) or Monday (%W), the first of a year
 * with its first such day. NULL for a week that does not begin in its year.
 */
function firstDayOfWeek(read = '', element: WeekElement): string {
  const newYear = `date_trunc('year', ${read})`;
  const first = element === 'W' ? `(8 - isodow(${newYear})) % 7` : `(7 - isodow(${newYear})) % 7`;
  const day = `(${newYear} + to_days(CAST(${first} + 7 * (minute(${read}) - 1) AS INTEGER)))`;
  const time = `(${read} - date_trunc('day', ${read}) - to_minutes(CAST(minute(${read}) AS BIGINT)))`;
  return `CASE WHEN year(${day}) = year(${read}) THEN ${day} + ${time} END`;
}

function assemble(translated: string, elements: ReadonlySet<string>, text: string): ParsedTime {
  const hasYear = elements.has('Y') || elements.has('y');
  const hasDay =
    elements.has('m') ||
    elements.has('d') ||
    elements.has('j') ||
    elements.has('b') ||
    elements.has('B') ||
    elements.has('U') ||
    elements.has('W');
  const [formatStart, textStart] = hasYear ? ['', ''] : hasDay ? ['%Y ', '1970 '] : ['%Y-%m-%d ', '1970-01-01 '];
  const hasZone = elements.has('z') || elements.has('Z');
  const hasFraction = translated.includes('\u0000');
  // With and without a fraction, because %E*S accepts both; the engine keeps at most six digits.
  const formats = readings(translated).flatMap((one) =>
    hasFraction ? [one.replaceAll('\u0000', '.%f'), one.replaceAll('\u0000', '')] : [one],
  );
  const list = `[${formats.map((one) => quoteText(formatStart + one)).join(', ')}]`;
  let source = `trim(${text})`;
  if (elements.has('z')) source = `regexp_replace(${source}, '[Zz]$', '+00:00')`;
  if (hasFraction) source = `regexp_replace(${source}, '(\\.[0-9]{6})[0-9]+', '\\1')`;
  const parsed = `try_strptime(${textStart === '' ? source : `${quoteText(textStart)} || ${source}`}, ${list})`;
  return { kind: 'sql', sql: hasZone ? `timezone('UTC', ${parsed})` : parsed, hasZone };
}
