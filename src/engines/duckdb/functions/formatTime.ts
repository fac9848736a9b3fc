import { quoteText } from '../emit/literal.ts';

/** What a formatted time is made of. All are expressions that may stand more than once. */
export interface TimeToFormat {
  /** The local time, TIMESTAMP. */
  readonly local: string;
  /** Minutes east of UTC; absent for a value without a zone, `0` for UTC. */
  readonly offsetMinutes?: string;
}

export type FormattedTime =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'unsupported'; readonly element: string };

/** Elements that stand for others. */
const compositions: Readonly<Record<string, string>> = {
  F: '%Y-%m-%d',
  T: '%H:%M:%S',
  R: '%H:%M',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  X: '%H:%M:%S',
  c: '%a %b %e %H:%M:%S %Y',
  r: '%I:%M:%S %p',
  h: '%b',
  n: '\n',
  t: '\t',
};

/** Elements that the engine writes as GoogleSQL does. */
const shared = 'aAbBdGHIjmMpSuUVwWyY';

const blankPadded = (element: string, local: string): string =>
  `lpad(CAST(CAST(strftime(${local}, '%${element}') AS INTEGER) AS VARCHAR), 2, ' ')`;
const micros = (local: string): string => `((epoch_us(${local}) % 1000000 + 1000000) % 1000000)`;
const fraction = (local: string): string => `lpad(CAST(${micros(local)} AS VARCHAR), 6, '0')`;
const twoDigits = (number: string): string => `lpad(CAST(${number} AS VARCHAR), 2, '0')`;

const own: Readonly<Record<string, (local: string) => string>> = {
  C: (local) => twoDigits(`date_part('year', ${local}) // 100`),
  e: (local) => blankPadded('d', local),
  g: (local) => twoDigits(`date_part('isoyear', ${local}) % 100`),
  k: (local) => blankPadded('H', local),
  l: (local) => blankPadded('I', local),
  P: (local) => `lower(strftime(${local}, '%p'))`,
  Q: (local) => `CAST(date_part('quarter', ${local}) AS VARCHAR)`,
};

const offsetText = (minutes: string, separator: string): string =>
  `(CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || ${twoDigits(`abs(${minutes}) // 60`)} || '${separator}' || ${twoDigits(`abs(${minutes}) % 60`)})`;

const zoneText = (minutes: string): string =>
  `('UTC' || CASE WHEN ${minutes} = 0 THEN '' ELSE CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || CAST(abs(${minutes}) // 60 AS VARCHAR) || CASE WHEN abs(${minutes}) % 60 = 0 THEN '' ELSE ':' || ${twoDigits(`abs(${minutes}) % 60`)} END END)`;

const elementForm = /%(E[0-9]S|E\*S|E4Y|Ez|[EO]?[a-zA-Z%])/g;

/** Writes a time with strftime elements (GoogleSQL reference, "format elements for date and time parts"). */
export function formatTime(format: string, time: TimeToFormat): FormattedTime {
  const pieces: string[] = [];
  let plain = '';
  const flush = (): void => {
    if (plain !== '')
      pieces.push(plain.includes('%') ? `strftime(${time.local}, ${quoteText(plain)})` : quoteText(plain));
    plain = '';
  };
  const expanded = expand(format);
  let at = 0;
  for (const match of expanded.matchAll(elementForm)) {
    const [whole, element = ''] = match;
    const before = expanded.slice(at, match.index);
    if (before.includes('%'))
      return { kind: 'unsupported', element: before.slice(before.indexOf('%'), before.indexOf('%') + 2) };
    plain += before;
    at = match.index + whole.length;
    if (element === '%') plain += '%%';
    else if (shared.includes(element)) plain += whole;
    else {
      const sql = special(element, time);
      if (sql === undefined) return { kind: 'unsupported', element: whole };
      flush();
      pieces.push(sql);
    }
  }
  const rest = expanded.slice(at);
  if (rest.includes('%')) return { kind: 'unsupported', element: rest.slice(rest.indexOf('%')) };
  plain += rest;
  flush();
  if (pieces.length === 0) return { kind: 'sql', sql: `CASE WHEN ${time.local} IS NOT NULL THEN '' END` };
  const joined = pieces.join(' || ');
  const readsTime = pieces.some((piece) => !/^'/.test(piece));
  return { kind: 'sql', sql: readsTime ? `(${joined})` : `CASE WHEN ${time.local} IS NOT NULL THEN ${joined} END` };
}

/** One pass: `%%` keeps what follows it from being an element. */
const expand = (format: string): string =>
  format.replace(/%%|%([a-zA-Z])/g, (whole: string, letter: string | undefined) =>
    letter === undefined ? whole : (compositions[letter] ?? whole),
  );

function special(element: string, { local, offsetMinutes }: TimeToFormat): string | undefined {
  const digits = /^E([0-9])S$/.exec(element)?.[1];
  if (digits !== undefined) {
    const seconds = `strftime(${local}, '%S')`;
    if (digits === '0') return seconds;
    return `(${seconds} || '.' || rpad(left(${fraction(local)}, ${digits}), ${digits}, '0'))`;
  }
  switch (element) {
    case 'E*S':
      return `(strftime(${local}, '%S') || CASE WHEN ${micros(local)} = 0 THEN '' ELSE '.' || rtrim(${fraction(local)}, '0') END)`;
    case 'E4Y':
      return `strftime(${local}, '%Y')`;
    case 's': {
      const minutes = offsetMinutes ?? '0';
      return `CAST(epoch_us(date_trunc('second', ${local})) // 1000000 - ${minutes} * 60 AS VARCHAR)`;
    }
    case 'z':
      return offsetMinutes === undefined ? undefined : offsetText(offsetMinutes, '');
    case 'Ez':
      return offsetMinutes === undefined ? undefined : offsetText(offsetMinutes, ':');
    case 'Z':
      return offsetMinutes === undefined ? undefined : zoneText(offsetMinutes);
    default:
      return own[element]?.(local);
  }
}
