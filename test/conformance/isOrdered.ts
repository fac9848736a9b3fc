import { parseQuery } from '../../src/googlesql/syntax/parser.ts';

/** Whether a query says in which order its rows come. */
export function isOrdered(sql: string): boolean {
  const { query } = parseQuery(sql);
  const last = query.pipes.at(-1);
  return last === undefined ? query.orderBy.length > 0 : last.kind === 'PipeOrderBy';
}
