import { quoteText } from '../emit/literal.ts';

/** The parts of a formatted time. All are expressions that may be written more than once. */
export interface TimeToFormat {
  readonly kind: 'TIMESTAMP' | 'DATETIME' | 'DATE' | 'TIME';
  /** The local time, TIMESTAMP. */
  readonly local: string;
  /** Minutes east of UTC; absent for a value without a zone, `0` for UTC. */
  readonly offsetMinutes?: string;
}

export type FormattedTime =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'unsupported'; readonly element: string };

/** Elements that are short for others. */
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

/** Elements that the engine writes like GoogleSQL. */
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

/** `UTC`, `UTC+3`, `UTC+0530`. */
const zoneText = (minutes: string): string =>
  `('UTC' || CASE WHEN ${minutes} = 0 THEN '' WHEN ${minutes} % 60 <> 0 THEN ${offsetText(minutes, '')} ELSE CASE WHEN ${minutes} < 0 THEN '-' ELSE '+' END || CAST(abs(${minutes}) // 60 AS VARCHAR) END)`;

export const elementForm = /%(E[0-9]S|E\*S|E4Y|Ez|[EO]?[a-zA-Z%])/g;

/**
 * Letters of the elements for each kind of value; TIMESTAMP has all. Other letters stay unchanged in the text, and are
 * not read.
 */
export const elementsOf: Readonly<Record<TimeToFormat['kind'], RegExp>> = {
  TIMESTAMP: /^/,
  DATETIME: /^(?!(?:z|Z|Ez)$)/,
  DATE: /^(?:[AaBbCDdeFGghjmnQtUuVWwxYy%]|E4Y)$/,
  TIME: /^(?:[HIklMnPpRrSTtX%]|E[0-9*]S)$/,
};

type Token =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'element'; readonly element: string };

/** Splits a format; replaces elements that are short for others, and drops modifiers of the C locale. */
function tokenize(format: string, kind: TimeToFormat['kind']): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (const match of format.matchAll(elementForm)) {
    const [whole, written = ''] = match;
    tokens.push({ kind: 'literal', text: format.slice(at, match.index) });
    at = match.index + whole.length;
    const element = /^E[cCxXyY]$|^O[deHImMSuUVwWy]$/.test(written) ? written.slice(1) : written;
    const composition = compositions[element];
    if (element === '%') tokens.push({ kind: 'literal', text: '%' });
    else if (!elementsOf[kind].test(element)) tokens.push({ kind: 'literal', text: whole });
    else if (composition !== undefined) tokens.push(...tokenize(composition, kind));
    else tokens.push({ kind: 'element', element });
  }
  tokens.push({ kind: 'literal', text: format.slice(at) });
  return tokens;
}

/**
 * Writes a time with strftime elements (GoogleSQL reference, "format elements for date and time parts"). As there, text
 * that is not an element for this kind of value stays unchanged.
 */
export function formatTime(format: string, time: TimeToFormat): FormattedTime {
  const pieces: string[] = [];
  // Text that the engine writes at once; its percent signs are doubled.
  let run = '';
  let runHasElements = false;
  const flush = (): void => {
    if (run !== '') {
      const text = quoteText(runHasElements ? run : run.replaceAll('%%', '%'));
      pieces.push(runHasElements ? `strftime(${time.local}, ${text})` : text);
    }
    run = '';
    runHasElements = false;
  };
  let readsTime = false;
  for (const token of tokenize(format, time.kind)) {
    if (token.kind === 'literal') {
      run += token.text.replaceAll('%', '%%');
      continue;
    }
    const { element } = token;
    if (element.length === 1 && shared.includes(element)) {
      run += `%${element}`;
      runHasElements = true;
      readsTime = true;
      continue;
    }
    if (element === 'J') return { kind: 'unsupported', element: '%J' };
    const sql = special(element, time);
    if (sql === undefined) {
      run += `%%${element}`;
      continue;
    }
    flush();
    pieces.push(sql);
    readsTime = true;
  }
  flush();
  const joined = pieces.length === 0 ? "''" : pieces.join(' || ');
  return { kind: 'sql', sql: readsTime ? `(${joined})` : `CASE WHEN ${time.local} IS NOT NULL THEN ${joined} END` };
}

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
