import type { Expression, Position } from '../googlesql/syntax/nodes.ts';
import type { CallerRows } from './callerRows.ts';
import { filterCondition } from './filterCondition.ts';
import type { Filter, LqlQuery } from './query.ts';
import { all, startOfText } from './syntaxNodes.ts';

export function filtersOf(query: LqlQuery): readonly Filter[] {
  return query.clauses.filter((clause) => 'isNegated' in clause);
}

/** All filters of the query as one condition; undefined if it has none. */
export function whereOf(query: LqlQuery, rows: CallerRows): Expression | undefined {
  const conditions = filtersOf(query).map((filter) => filterCondition(filter, rows));
  return conditions.length === 0 ? undefined : all(conditions, startOfText);
}

/** The position of the `f:` clause, or the start of the text. */
export function tablePosition(query: LqlQuery): Position {
  return query.clauses.find(({ kind }) => kind === 'from')?.pos ?? startOfText;
}
