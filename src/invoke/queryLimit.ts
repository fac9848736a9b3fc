import { ServiceError } from '../core/errors.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import type { Expr, Notice, Relation, ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { QueryResult } from '../ports/queryEngine.ts';
import type { TokenRestrictions } from '../tokens/restrictions.ts';
import type { RowLimit } from './rowLimit.ts';

/** The LIMIT that bounds all rows of the query of a call. */
export interface QueryLimit {
  readonly rows: number;
  /** The parameter that gives it; null if it is a number in the text. */
  readonly parameter: string | null;
  /** Whether the caller wrote it: stopping there is then not truncation (contract, section 1). */
  readonly isCallers: boolean;
  /** Whether the caller could send a query of its own instead. */
  readonly mayReplace: boolean;
}

/** What decides whether and how a caller can have more rows than the LIMIT. */
export interface LimitedCall {
  readonly callerQuery: object | null;
  readonly endpoint: { readonly sandbox: boolean };
  readonly token: { readonly restrictions: Pick<TokenRestrictions, 'callerQueries'> | null };
  readonly parameters: ParameterValues;
}

/**
 * The least LIMIT that bounds all rows of the query: the outermost one, or one below it that only projections and orders
 * follow. Null if there is none.
 */
export function queryLimitOf(
  query: LimitedQuery,
  { callerQuery, endpoint, token, parameters }: LimitedCall,
): QueryLimit | null {
  const isCallers = callerQuery !== null;
  const mayReplace = !isCallers && endpoint.sandbox && token.restrictions?.callerQueries !== false;
  const outermost = outerLimitOf(query, parameters);
  let least: Pick<QueryLimit, 'rows' | 'parameter'> | null =
    outermost === null ? null : { rows: outermost, parameter: query.outerLimitParameter ?? null };
  for (const limit of limitsAround(query.relation)) {
    const rows = countOf(limit, parameters);
    if (rows === null || (least !== null && least.rows <= rows)) continue;
    least = { rows, parameter: limit.kind === 'parameter' ? limit.name : null };
  }
  return least === null ? null : { ...least, isCallers, mayReplace };
}

export type LimitedQuery = Pick<ResolvedQuery, 'relation' | 'outerLimit' | 'outerLimitParameter'>;

/** The outermost LIMIT of the query in a call with these parameters; null if it has none. */
export function outerLimitOf(
  { outerLimit, outerLimitParameter = null }: Omit<LimitedQuery, 'relation'>,
  parameters: ParameterValues,
): number | null {
  return outerLimitParameter === null ? outerLimit : countIn(parameters, outerLimitParameter);
}

function* limitsAround(relation: Relation): Generator<Expr, void> {
  for (let at = relation; ; ) {
    if (at.kind === 'with') at = at.body;
    else if (at.kind === 'project' || at.kind === 'sort') at = at.input;
    else if (at.kind === 'limit') {
      if (at.limit !== null) yield at.limit;
      // With an OFFSET there are fewer rows than a LIMIT below it says.
      if (at.offset !== null) return;
      at = at.input;
    } else return;
  }
}

/** Throws `parameter.invalid` if a parameter is negative that the query takes as LIMIT or OFFSET. */
export function requireCounts(
  { countParameters = none }: Pick<ResolvedQuery, 'countParameters'>,
  parameters: ParameterValues,
): void {
  for (const name of countParameters) {
    const value = parameters.get(name);
    if (value?.kind !== 'int64' || value.value >= 0n) continue;
    throw new ServiceError(
      'parameter.invalid',
      `The parameter ${name} is ${value.value}; it is a LIMIT or OFFSET of the query, so it must be 0 or more.`,
      { errors: [{ parameter: name, value: String(value.value), expected: '0 or more' }] },
    );
  }
}

const none: ReadonlySet<string> = new Set();

/** The value of a LIMIT or OFFSET; null if it is absent or NULL. */
export function countOf(expr: Expr | null, parameters: ParameterValues): number | null {
  if (expr === null) return null;
  if (expr.kind === 'literal' && typeof expr.value === 'bigint') return Number(expr.value);
  return expr.kind === 'parameter' ? countIn(parameters, expr.name) : null;
}

function countIn(parameters: ParameterValues, name: string): number | null {
  const value = parameters.get(name);
  return value?.kind === 'int64' ? Number(value.value) : null;
}

/** The notice that the LIMIT leaves out rows. `isKnown`: whether there are more, or it only cannot be excluded. */
export function limitReachedNotice(limit: QueryLimit, isKnown: boolean): Notice {
  const end = isKnown ? 'further rows are left out' : 'further rows may be left out';
  return { code: 'query.limit_reached', message: `${subject(limit)}, so ${end}. ${remedy(limit)}` };
}

/**
 * The notice of a single answer whose rows a LIMIT below the outermost query ends. `truncated_by` reports the outermost one,
 * after which the run looks for one more row. A LIMIT of the caller is no truncation (contract, section 1).
 */
export function answerLimitNotice(
  limit: QueryLimit | null,
  { rowsMax }: Pick<RowLimit, 'rowsMax'>,
  { rowCount, cutByBytes }: Pick<QueryResult, 'rowCount' | 'cutByBytes'>,
): readonly Notice[] {
  if (limit === null || limit.isCallers || cutByBytes) return [];
  return rowCount === limit.rows && rowCount < rowsMax ? [limitReachedNotice(limit, false)] : [];
}

/** The notice of an export of one answer whose rows the LIMIT ends. */
export function partLimitNotice(
  limit: QueryLimit | null,
  { rowCount, hasMore, cutByBytes }: Pick<QueryResult, 'rowCount' | 'hasMore' | 'cutByBytes'>,
): readonly Notice[] {
  return limit === null || cutByBytes || rowCount !== limit.rows ? [] : [limitReachedNotice(limit, hasMore)];
}

/** The notice of a stream that the LIMIT of the stored query may cut: most formats have no place to say so at the end. */
export function streamLimitNotice(limit: QueryLimit | null, rowsMax: number): readonly Notice[] {
  if (limit === null || limit.isCallers || limit.rows > rowsMax) return [];
  const message = `${subject(limit)}, so the stream has at most ${limit.rows} rows. ${remedy(limit)}`;
  return [{ code: 'stream.query_limit', message }];
}

function subject({ rows, parameter, isCallers }: QueryLimit): string {
  const whose = isCallers ? 'Your query' : 'The stored query';
  return parameter === null ? `${whose} has LIMIT ${rows}` : `${whose} has LIMIT @${parameter}, which is ${rows}`;
}

function remedy({ parameter, isCallers, mayReplace }: QueryLimit): string {
  if (isCallers) return 'For more rows, raise the LIMIT or leave it out.';
  const replace = 'send your own query in sql, without LIMIT or with a larger one';
  if (parameter !== null) {
    return `For more rows, give the parameter ${parameter} a larger value${mayReplace ? `, or ${replace}` : ''}.`;
  }
  return mayReplace
    ? `For more rows, ${replace}.`
    : 'For more rows, the LIMIT in the definition of the endpoint must be raised.';
}
