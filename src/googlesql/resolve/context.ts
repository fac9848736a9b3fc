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

/** The result of a query: a relation and which of its columns are the answer. */
export interface ResolvedSubquery {
  readonly relation: Relation;
  readonly outputs: readonly SubqueryOutput[];
  /** SELECT AS STRUCT and AS VALUE: its rows are the values of its only column, reached by the alias of the table. */
  readonly isValueTable?: boolean;
}

export interface SubqueryOutput {
  /** Empty where the text gives no name. */
  readonly name: string;
  readonly column: Column;
}

/** Where an expression stands and what may stand in it. */
export interface ExpressionContext {
  readonly session: ResolveSession;
  readonly environment: TableEnvironment;
  readonly scope: NameScope;
  /** Collects aggregate calls; null where none may stand. */
  readonly aggregates: AggregateCall[] | null;
  /** Collects window calls; null where none may stand. */
  readonly windows: WindowCall[] | null;
  readonly namedWindows: ReadonlyMap<string, WindowSpecification>;
  /** The clause, for messages: `WHERE`. */
  readonly clause: string;
  /** Resolves an expression inside another construct; handed in so that constructs do not depend on each other in circles. */
  readonly resolveExpr: (node: Expression, context: ExpressionContext) => Expr;
  /** Resolves a query inside an expression; handed in alike. */
  readonly resolveQuery: (query: Query, environment: TableEnvironment, parent: NameScope) => ResolvedSubquery;
}
