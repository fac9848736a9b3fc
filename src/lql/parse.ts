import { ServiceError } from '../core/errors.ts';
import { readClause } from './parseClause.ts';
import type { Clause, LqlQuery } from './query.ts';
import { TextReader } from './textReader.ts';

const clausesMax = 100;

/**
 * Parses an LQL text (lql.md). Throws ServiceError `lql.syntax` at the first character that no clause can contain, and
 * `sql.too_complex` for more than 100 clauses.
 */
export function parseLql(text: string): LqlQuery {
  const reader = new TextReader(text);
  const clauses: Clause[] = [];
  for (let at = skipSpace(text, 0); at < text.length; ) {
    if (clauses.length === clausesMax) throw tooMany(reader, at);
    const { value, end } = readClause(reader, at);
    clauses.push(onlyOnce(value, clauses, reader, at));
    at = skipSpace(text, end);
  }
  if (clauses.length === 0) throw reader.errorAt(text.length, 'a clause');
  return { clauses };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text.charAt(at))) at++;
  return at;
}

const single: Readonly<Partial<Record<Clause['kind'], string>>> = {
  from: 'only one table',
  aggregate: 'only one aggregate',
  period: 'only one period',
};

function onlyOnce(clause: Clause, before: readonly Clause[], reader: TextReader, at: number): Clause {
  const what = single[clause.kind];
  if (what === undefined || !before.some(({ kind }) => kind === clause.kind)) return clause;
  throw reader.errorAt(at, `${what} in a query`);
}

function tooMany(reader: TextReader, at: number): ServiceError {
  const { line, column } = reader.position(at);
  return new ServiceError(
    'sql.too_complex',
    `A query may have at most ${clausesMax} clauses; the next one starts at line ${line}, column ${column}.`,
    { errors: [{ line, column, expected: `at most ${clausesMax} clauses` }] },
  );
}
