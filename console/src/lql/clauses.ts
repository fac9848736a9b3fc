import { isList, isObject, type Json } from '../api/losslessJson.ts';

/**
 * The clauses of an LQL text, found by their ends only: what a clause means, the service says. The console edits `f:`,
 * `t:` and `s:` clauses with it and leaves the rest as it was typed.
 */
export interface Clause {
  readonly text: string;
  /** Offset in the whole text. */
  readonly at: number;
  readonly kind: 'from' | 'time' | 'select' | 'chart' | 'other';
}

/** White space ends a clause, except in double quotes, in parentheses after a colon, and in braces. */
export function clausesOf(lql: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let at = 0;
  while (at < lql.length) {
    if (/\s/.test(lql.charAt(at))) at += 1;
    else {
      const end = endOfClause(lql, at);
      const text = lql.slice(at, end);
      clauses.push({ text, at, kind: kindOf(text) });
      at = end;
    }
  }
  return clauses;
}

function endOfClause(lql: string, start: number): number {
  for (let at = start; at < lql.length; at += 1) {
    const char = lql.charAt(at);
    if (/\s/.test(char)) return at;
    if (char === '"') at = endOf(lql, at, '"');
    else if (char === '(' && /[:~>]$/.test(lql.slice(start, at))) at = endOf(lql, at, ')');
  }
  return lql.length;
}

/** Position of the closing character, or the last position. A backslash hides a quote. */
function endOf(lql: string, open: number, close: string): number {
  for (let at = open + 1; at < lql.length; at += 1) {
    if (close === '"' && lql.charAt(at) === '\\') at += 1;
    else if (lql.charAt(at) === close) return at;
  }
  return lql.length - 1;
}

function kindOf(text: string): Clause['kind'] {
  if (/^(f|from):/.test(text)) return 'from';
  if (/^-?(t|timestamp):/.test(text)) return 'time';
  if (/^(s|select):/.test(text)) return 'select';
  if (/^(c|chart):/.test(text)) return 'chart';
  return 'other';
}

const printed = (clauses: readonly (Clause | string)[]): string =>
  clauses.map((clause) => (typeof clause === 'string' ? clause : clause.text)).join(' ');

export const tableOf = (lql: string): string | undefined =>
  clausesOf(lql)
    .find(({ kind }) => kind === 'from')
    ?.text.replace(/^\w+:/, '');

export function withTable(lql: string, table: string): string {
  return printed([`f:${table}`, ...clausesOf(lql).filter(({ kind }) => kind !== 'from')]);
}

/** The time clauses, negated ones left out. */
export const timesOf = (lql: string): readonly string[] =>
  clausesOf(lql)
    .filter(({ kind, text }) => kind === 'time' && !text.startsWith('-'))
    .map(({ text }) => text);

export function withTimes(lql: string, times: readonly string[]): string {
  return printed([...clausesOf(lql).filter(({ kind }) => kind !== 'time'), ...times]);
}

/** Paths of `s:` clauses, as written. */
export const selectedOf = (lql: string): readonly string[] =>
  clausesOf(lql)
    .filter(({ kind }) => kind === 'select')
    .map(({ text }) => text.replace(/^\w+:/, ''));

export function withColumn(lql: string, path: string, isWanted: boolean): string {
  const others = clausesOf(lql).filter(({ kind, text }) => kind !== 'select' || text.replace(/^\w+:/, '') !== path);
  return printed(isWanted ? [...others, `s:${path}`] : others);
}

/** Everything but what the console adds by itself: columns and charts. */
export function filtersOf(lql: string): string {
  return printed(clausesOf(lql).filter(({ kind }) => kind !== 'select' && kind !== 'chart'));
}

export const isChart = (lql: string): boolean => clausesOf(lql).some(({ kind }) => kind === 'chart');

/** Counts the rows of a search by time in place of listing them. */
export const withChart = (lql: string, period: string): string =>
  `${filtersOf(lql)} c:count(*) c:group_by(t::${period})`;

/** Adds a clause at the end; one that is there already, or its opposite, gives way. */
export function withClause(lql: string, clause: string): string {
  const opposite = clause.startsWith('-') ? clause.slice(1) : `-${clause}`;
  const others = clausesOf(lql).filter(({ text }) => text !== clause && text !== opposite);
  const times = others.filter(({ kind }) => kind === 'time');
  return printed([...others.filter(({ kind }) => kind !== 'time'), clause, ...times]);
}

/** Texts that a matching message contains: to mark them in it. Patterns are not marked. */
export function wordsOf(lql: string): readonly string[] {
  return clausesOf(lql)
    .filter(
      ({ kind, text }) => kind === 'other' && !/^[-~]/.test(text) && (text.startsWith('"') || !text.includes(':')),
    )
    .map(({ text }) =>
      text.startsWith('"') ? text.slice(1, text.endsWith('"') ? -1 : undefined).replace(/\\(["\\])/g, '$1') : text,
    )
    .filter((word) => word !== '');
}

/** `m.request.path` for `metadata.request.path`. Null if a path has parts that LQL cannot write. */
export function lqlPath(path: readonly string[]): string | null {
  if (path.length === 0 || !path.every((part) => /^\w+$/.test(part))) return null;
  return path[0] === 'metadata' && path.length > 1 ? `m.${path.slice(1).join('.')}` : path.join('.');
}

/** A clause that keeps rows whose member equals the value. Null if no clause can say so. */
export function equalsClause(path: string, value: string | number | bigint | boolean | null): string | null {
  if (value === null) return `${path}:NULL`;
  if (typeof value !== 'string') return `${path}:${value}`;
  if (/[\n\r]/.test(value)) return null;
  return `${path}:"${value.replace(/["\\]/g, '\\$&')}"`;
}

/** The same for a value of a row. Null for nested values too, and for redacted ones, because no filter finds them. */
export function filterClause(path: string, value: Json): string | null {
  if (isObject(value) || isList(value)) return null;
  if (typeof value === 'string' && value.includes('[REDACTED:')) return null;
  return equalsClause(path, value);
}
