import type { SortKey } from '../../../googlesql/resolve/tree.ts';
import type { Emission } from './emission.ts';
import { duckType } from './literal.ts';
import { isKnownFinite } from './numberFacts.ts';

/** One key, as the writers of aggregates need it. */
export interface EmittedSortKey {
  readonly sql: string;
  readonly descending: boolean;
  readonly nulls: 'first' | 'last';
}

/**
 * A JSON value sorts by several keys: numbers before text (googlesql.md, section 2). So does a FLOAT64, because NaN
 * comes before every number, but the engine puts it last.
 */
export function sortKeyParts(key: SortKey, emission: Emission): readonly EmittedSortKey[] {
  const value = emission.expr(key.expr);
  // The engine rejects a bare literal as a key, because it orders nothing.
  const sql = key.expr.kind === 'literal' ? `CAST(${value} AS ${duckType(key.expr.type)})` : value;
  const parts = isKnownFinite(key.expr, emission) ? [sql] : partsOf(key, sql);
  return parts.map((part) => ({ sql: part, descending: key.descending, nulls: key.nulls }));
}

function partsOf({ expr }: SortKey, sql: string): readonly string[] {
  if (expr.type.kind === 'FLOAT64' && expr.kind !== 'literal') return [`NOT isnan(${sql})`, sql];
  if (expr.type.kind !== 'JSON') return [sql];
  const { isText, number, whole, text } = jsonOrder(sql);
  return [isText, number, whole, text];
}

/** The keys that order JSON values; all NULL for NULL. */
function jsonOrder(json: string): { isText: string; number: string; whole: string; text: string } {
  const isNumber = `regexp_matches(CAST(${json} AS VARCHAR), '^[-0-9]')`;
  return {
    isText: `NOT ${isNumber}`,
    number: `CASE WHEN ${isNumber} THEN CAST(${json} AS DOUBLE) WHEN ${json} IS NOT NULL THEN 0 END`,
    // Orders whole numbers that round to the same double.
    whole: `CASE WHEN ${json} IS NOT NULL THEN coalesce(try_cast(CASE WHEN ${isNumber} THEN CAST(${json} AS VARCHAR) END AS HUGEINT), 0) END`,
    text: `CASE WHEN ${isNumber} THEN '' ELSE json_extract_string(${json}, '$') END`,
  };
}

export function emitSortKeys(keys: readonly SortKey[], emission: Emission): string {
  return textOf(keys.flatMap((key) => sortKeyParts(key, emission)));
}

function textOf(parts: readonly EmittedSortKey[]): string {
  return parts
    .map((part) => `${part.sql} ${part.descending ? 'DESC' : 'ASC'} NULLS ${part.nulls.toUpperCase()}`)
    .join(', ');
}
