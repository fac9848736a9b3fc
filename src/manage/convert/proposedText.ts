import { tablesNamed } from '../../googlesql/syntax/comparedLiterals.ts';
import type { Query } from '../../googlesql/syntax/nodes.ts';
import { parseQuery } from '../../googlesql/syntax/parser.ts';
import type { Replacement } from './proposedParameters.ts';

/** A caller query as text, with its syntax tree. */
export interface CallerText {
  readonly sql: string;
  readonly query: Query;
}

/** The WITH entries of a stored query that a caller query needs, as texts, in order. */
export function neededTables(storedText: string, { query }: CallerText): readonly string[] {
  const stored = parseQuery(storedText).query;
  const needed = new Set(tablesNamed(query));
  const tables: string[] = [];
  // Each table sees those before it.
  for (const entry of stored.withEntries.toReversed()) {
    if (!needed.has(entry.name.name.toLowerCase())) continue;
    for (const name of tablesNamed(entry.query)) needed.add(name);
    tables.unshift(storedText.slice(entry.pos.offset, entry.end));
  }
  return tables;
}

/** The text of a stored query that has the rows of a caller query: these tables, and the caller query with replacements. */
export function proposedText(
  tables: readonly string[],
  { sql, query }: CallerText,
  replacements: readonly Replacement[],
): string {
  const [first] = query.withEntries;
  // The tables of the caller query come after those that it reads.
  const from = tables.length === 0 ? 0 : (first?.pos.offset ?? 0);
  const own = withReplacements(sql, replacements, from).trim();
  if (tables.length === 0) return `${own}\n`;
  return `with ${tables.join(',\n')}${first === undefined ? '' : ','}\n${own}\n`;
}

/** The text from an offset on, with parts of it replaced, which do not overlap. */
function withReplacements(text: string, replacements: readonly Replacement[], start: number): string {
  let replaced = '';
  let at = start;
  for (const { from, to, text: by } of replacements.toSorted((a, b) => a.from - b.from)) {
    if (from < at) continue;
    replaced += text.slice(at, from) + by;
    at = to;
  }
  return replaced + text.slice(at);
}
