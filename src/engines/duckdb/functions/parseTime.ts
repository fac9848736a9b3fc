import { quoteText } from '../emit/literal.ts';

export type ParsedTime =
  | { readonly kind: 'sql'; readonly sql: string; readonly hasZone: boolean }
  | { readonly kind: 'unsupported'; readonly element: string };

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

/** Elements by what the engine calls them when it reads. */
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
 * What else an element reads: a name may be the short or the long one, and blanks may stand before a number that is
 * padded with them (GoogleSQL, "Format elements for date and time parts").
 */
const otherReadings: Readonly<Record<string, string>> = {
  ...{ e: ' %d', k: ' %H', l: ' %I' },
  ...{ a: '%A', A: '%a', b: '%B', h: '%B', B: '%b' },
};

/** The formats of the engine that together read what the elements marked with U+0001 may be, as written first. */
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

const elementForm = /%(E[0-9]S|E\*S|E4Y|Ez|[EO]?[a-zA-Z%])/g;

/**
 * Reads text with strftime elements; the SQL gives a TIMESTAMP, NULL for text that does not fit.
 * Parts that the format lacks are those of 1970-01-01 00:00:00. With an element for the zone the
 * result is UTC, else local. `text` may stand more than once.
 */
export function parseTime(format: string, text: string): ParsedTime {
  if (format.trim() === '%s') {
    const seconds = `TRY_CAST(CASE WHEN regexp_full_match(trim(${text}), '-?[0-9]{1,12}') THEN trim(${text}) END AS BIGINT)`;
    return { kind: 'sql', sql: `make_timestamp(${seconds} * 1000000)`, hasZone: true };
  }
  const expanded = format.replace(/%%|%([a-zA-Z])/g, (whole: string, letter: string | undefined) =>
    letter === undefined ? whole : (compositions[letter] ?? whole),
  );
  const elements = new Set<string>();
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
    const target = engineElements[element];
    if (target === undefined) return { kind: 'unsupported', element: whole };
    translated += otherReadings[element] === undefined ? target : `\u0001${element}`;
    elements.add(target.slice(1));
  }
  const rest = expanded.slice(at);
  if (rest.includes('%')) return { kind: 'unsupported', element: rest.slice(rest.indexOf('%')) };
  return assemble((translated + rest).trim(), elements, text);
}

function assemble(translated: string, elements: ReadonlySet<string>, text: string): ParsedTime {
  const hasYear = elements.has('Y') || elements.has('y');
  const hasDay = elements.has('m') || elements.has('d') || elements.has('j') || elements.has('b') || elements.has('B');
  const [formatStart, textStart] = hasYear ? ['', ''] : hasDay ? ['%Y ', '1970 '] : ['%Y-%m-%d ', '1970-01-01 '];
  const hasZone = elements.has('z') || elements.has('Z');
  const hasFraction = translated.includes('\u0000');
  // Both with and without a fraction, since %E*S takes either; the engine keeps six digits at most.
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
