import type { Position } from '../syntax/nodes.ts';
import { type ExprKey, exprKey } from './exprKey.ts';
import { columnExpr, quote } from './names.ts';
import { sqlError } from './sqlError.ts';
import { type Mapper, mapExpr, mapRelation } from './traverse.ts';
import type { Column, Computed, Expr } from './tree.ts';

/**
 * Rewrites expressions of a query with GROUP BY or DISTINCT: an expression that equals a key becomes the column of the key.
 * A column that is still read from the rows is a `sql.type` error.
 */
export class Regrouper {
  readonly #keys: ReadonlyMap<ExprKey, Column>;
  readonly #records: readonly { readonly base: ExprKey; readonly path: readonly string[]; readonly column: Column }[];
  /** For a key that is a STRUCT: each expression that it was made of, and the field that holds it. */
  readonly #fields: ReadonlyMap<ExprKey, Expr>;
  readonly #kinds: ReadonlySet<Expr['kind']>;
  readonly #rowColumns: ReadonlySet<Column>;
  readonly #refusal: (name: string) => string;

  /** `refusal` makes the message for a column that is still read from the rows. */
  constructor(
    keys: readonly Computed[],
    rowColumns: ReadonlySet<Column>,
    refusal = (name: string): string =>
      `${quote(name)} is neither grouped nor aggregated; add it to GROUP BY, or aggregate it, for example with any_value(…)`,
  ) {
    this.#refusal = refusal;
    // An expression that is a key twice means the first column: in a ROLLUP it is present in every row that has the other.
    this.#keys = new Map([...keys].reverse().map((key) => [exprKey(key.expr), key.column]));
    this.#fields = new Map(keys.flatMap((key) => fieldsOf(key.expr, columnExpr(key.column))));
    this.#records = keys.flatMap(({ expr, column }) =>
      expr.kind === 'pathRead' && expr.wanted === 'JSON' ? [{ base: exprKey(expr.base), path: expr.path, column }] : [],
    );
    this.#kinds = new Set(keys.map((key) => key.expr.kind));
    this.#rowColumns = rowColumns;
  }

  rewrite(expr: Expr, pos: Position): Expr {
    const mapper: Mapper = {
      expr: (below) => this.#replaced(below) ?? this.#checked(mapExpr(below, mapper), pos),
      relation: (relation) => mapRelation(relation, mapper),
    };
    return mapper.expr(expr);
  }

  #replaced(expr: Expr): Expr | null {
    const column = this.#kinds.has(expr.kind) ? this.#keys.get(exprKey(expr)) : undefined;
    if (column !== undefined) return columnExpr(column);
    const field = this.#fields.size === 0 ? undefined : this.#fields.get(exprKey(expr));
    if (field !== undefined) return field;
    if (expr.kind !== 'pathRead' || this.#records.length === 0) return null;
    // A grouped JSON value read as another type, or a member of it.
    const base = exprKey(expr.base);
    for (const record of this.#records) {
      const isBelow = record.base === base && record.path.every((step, i) => expr.path[i] === step);
      if (isBelow) return { ...expr, base: columnExpr(record.column), path: expr.path.slice(record.path.length) };
    }
    return null;
  }

  #checked(expr: Expr, pos: Position): Expr {
    if (expr.kind !== 'column' || !this.#rowColumns.has(expr.column)) return expr;
    throw sqlError('sql.type', this.#refusal(expr.column.name), pos, { token: expr.column.name });
  }
}

function fieldsOf(expr: Expr, read: Expr): readonly (readonly [ExprKey, Expr])[] {
  if (expr.kind !== 'struct') return [];
  return expr.values.flatMap((value, index) => {
    if (value.kind === 'literal') return [];
    const field: Expr = { kind: 'structField', type: value.type, value: read, index };
    return [[exprKey(value), field] as const, ...fieldsOf(value, field)];
  });
}
