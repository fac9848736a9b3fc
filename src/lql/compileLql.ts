import { atOnce } from '../core/concurrency/turns.ts';
import { type CompileContext, type CompileSteps, callerTreeInSteps } from '../googlesql/compile.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import { buildQuery } from './buildQuery.ts';
import { parseLql } from './parse.ts';
import { rowsMaxParameter } from './rowsMaxParameter.ts';
import { wordsLikeFilters } from './wordsLikeFilters.ts';

/**
 * Compiles an LQL text (lql.md) against the WITH tables of a stored query. It becomes a GoogleSQL syntax tree, never SQL
 * text, and is resolved like a caller's SQL, with the same sandbox, types and limits. Throws ServiceError `lql.*`, `sql.*`
 * or `sandbox.*` with line and column. A run of the result must bind `rowsMaxParameter`.
 */
export function compileLql(text: string, storedText: string, context: CompileContext): ResolvedQuery {
  return atOnce(lqlInSteps(text, storedText, context));
}

/** Like `compileLql`, in steps. */
export function* lqlInSteps(text: string, storedText: string, context: CompileContext): CompileSteps {
  const query = parseLql(text);
  const parameters = new Map(context.parameters).set(rowsMaxParameter, 'int64');
  yield;
  const resolved = yield* callerTreeInSteps(
    (tables) => ({ query: buildQuery(query, tables), notices: [] }),
    storedText,
    {
      ...context,
      parameters,
    },
  );
  return { ...resolved, notices: [...resolved.notices, ...wordsLikeFilters(query, text)] };
}
