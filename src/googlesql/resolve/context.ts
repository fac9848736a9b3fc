import type { Expression, Query, WindowSpecification } from '../syntax/nodes.ts';
import type { NameScope } from './nameScope.ts';
import type { ResolveSession } from './session.ts';
import type { AggregateCall, Column, Expr, Relation, WindowCall, WithTable } from './tree.ts';

/** The tables that a query text may name, innermost first. */
export interface TableEnvironment {
  readonly parent: TableEnvironment | null;
  /** By lower-case name. */
  readonly tables: ReadonlyMap<string, EnvironmentTable>;
}

export interface EnvironmentTable {
  readonly table: WithTable;
  /** Names of the columns, in the table's order. */
  readonly columnNames: readonly string[];
  readonly isValueTable: boolean;
}

/** The result of a query: a relation, and the columns of it that are the answer. */
export interface ResolvedSubquery {
  readonly relation: Relation;
  readonly outputs: readonly SubqueryOutput[];
  /** SELECT AS STRUCT and AS VALUE: each row is the value of the only column, and the table alias names it. */
  readonly isValueTable?: boolean;
}

export interface SubqueryOutput {
  /** Empty if the text gives no name. */
  readonly name: string;
  readonly column: Column;
}

/** The position of an expression, and what it may contain. */
export interface ExpressionContext {
  readonly session: ResolveSession;
  readonly environment: TableEnvironment;
  readonly scope: NameScope;
  /** Collects aggregate calls; null if none are allowed. */
  readonly aggregates: AggregateCall[] | null;
  /** Collects window calls; null if none are allowed. */
  readonly windows: WindowCall[] | null;
  readonly namedWindows: ReadonlyMap<string, WindowSpecification>;
  /** The clause, for messages: `WHERE`. */
  readonly clause: string;
  /** Resolves a nested expression. Passed in to avoid circular imports. */
  readonly resolveExpr: (node: Expression, context: ExpressionContext) => Expr;
  /** Resolves a query inside an expression. Passed in to avoid circular imports. */
  readonly resolveQuery: (query: Query, environment: TableEnvironment, parent: NameScope) => ResolvedSubquery;
}
