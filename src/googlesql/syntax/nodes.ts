import type { Expression, ExpressionPart, Identifier, WindowName, WindowSpecification } from './expressionNodes.ts';
import type { PipeNode, PipeOperator } from './pipeNodes.ts';
import type { Spanned } from './position.ts';
import type { StructTypeField, TypeNode } from './typeNodes.ts';

export type * from './expressionNodes.ts';
export type * from './pipeNodes.ts';
export type { Position, Spanned } from './position.ts';
export type * from './typeNodes.ts';

/**
 * Any node of the syntax tree of a query (googlesql.md, sections 3 and 4). Nodes are frozen and have positions. A member
 * that the text leaves out is undefined, false or an empty list.
 */
export type SyntaxNode = QueryNode | Expression | ExpressionPart | TypeNode | StructTypeField | PipeNode;

export type QueryNode =
  | Query
  | WithEntry
  | QueryBody
  | SelectExpression
  | SelectStar
  | StarReplacement
  | GroupBy
  | GroupingItem
  | NamedWindow
  | OrderingItem
  | FromItem
  | WithOffset;

/** `[WITH …] body [ORDER BY …] [LIMIT … [OFFSET …]] [|> …]`, in that order of effect. */
export interface Query extends Spanned {
  readonly kind: 'Query';
  /** Each entry sees those before it. */
  readonly withEntries: readonly WithEntry[];
  readonly body: QueryBody;
  readonly orderBy: readonly OrderingItem[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
  readonly pipes: readonly PipeOperator[];
}

export interface WithEntry extends Spanned {
  readonly kind: 'WithEntry';
  readonly name: Identifier;
  readonly query: Query;
}

export type QueryBody = Select | SetOperation | ParenthesizedQuery | FromQuery;

/** A query in parentheses, as a body or an arm of a set operation. */
export interface ParenthesizedQuery extends Spanned {
  readonly kind: 'ParenthesizedQuery';
  readonly query: Query;
}

/** `FROM x` alone, which starts a pipe query: all columns of x. */
export interface FromQuery extends Spanned {
  readonly kind: 'FromQuery';
  readonly from: FromItem;
}

export type SetOperator = 'union' | 'intersect' | 'except';
export type SetQuantifier = 'all' | 'distinct';

/**
 * How BY NAME and CORRESPONDING match columns: all of them in every arm (`strict`), those that every arm has (`inner`),
 * those of the first arm (`left`) or of any (`full`). CORRESPONDING alone is INNER … BY NAME, with STRICT BY NAME.
 */
export interface NameMatching {
  readonly mode: 'strict' | 'inner' | 'left' | 'full';
  /** The listed columns, in order; empty for all that match. */
  readonly columns: readonly Identifier[];
}

/** Two arms or more of one operator, from left to right: `(a EXCEPT b) EXCEPT c`. Different operators need parentheses. */
export interface SetOperation extends Spanned {
  readonly kind: 'SetOperation';
  readonly operator: SetOperator;
  readonly quantifier: SetQuantifier;
  /** Undefined if columns match by position. */
  readonly byName: NameMatching | undefined;
  readonly arms: readonly (Select | ParenthesizedQuery)[];
}

export interface Select extends Spanned {
  readonly kind: 'Select';
  readonly isDistinct: boolean;
  /** `SELECT AS STRUCT` / `SELECT AS VALUE`. */
  readonly as: 'struct' | 'value' | undefined;
  readonly items: readonly SelectItem[];
  readonly from: FromItem | undefined;
  readonly where: Expression | undefined;
  readonly groupBy: GroupBy | undefined;
  readonly having: Expression | undefined;
  readonly qualify: Expression | undefined;
  readonly windows: readonly NamedWindow[];
}

export type SelectItem = SelectExpression | SelectStar;

export interface SelectExpression extends Spanned {
  readonly kind: 'SelectExpression';
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
}

/** `*` (qualifier undefined) or `qualifier.*`, with EXCEPT and REPLACE lists. */
export interface SelectStar extends Spanned {
  readonly kind: 'SelectStar';
  readonly qualifier: Expression | undefined;
  readonly except: readonly Identifier[];
  readonly replace: readonly StarReplacement[];
}

export interface StarReplacement extends Spanned {
  readonly kind: 'StarReplacement';
  readonly expression: Expression;
  readonly alias: Identifier;
}

/** `GROUP BY ALL` has `isAll` and no items; `GROUP BY ()`, which makes one group of all rows, has neither. */
export interface GroupBy extends Spanned {
  readonly kind: 'GroupBy';
  readonly isAll: boolean;
  readonly items: readonly GroupingItem[];
}

/** An expression, alias or ordinal; the resolver decides which. */
export interface GroupingExpression extends Spanned {
  readonly kind: 'GroupingExpression';
  readonly expression: Expression;
}

export interface Rollup extends Spanned {
  readonly kind: 'Rollup';
  readonly expressions: readonly Expression[];
}

export type GroupingItem = GroupingExpression | Rollup;

/** `WINDOW name AS (…)` or `WINDOW name AS other`. */
export interface NamedWindow extends Spanned {
  readonly kind: 'NamedWindow';
  readonly name: Identifier;
  readonly window: WindowName | WindowSpecification;
}

export interface OrderingItem extends Spanned {
  readonly kind: 'OrderingItem';
  readonly expression: Expression;
  /** `asc` also if the text has no direction. */
  readonly direction: 'asc' | 'desc';
  readonly nulls: 'first' | 'last' | undefined;
}

export type FromItem = TableReference | TableSubquery | TableFunction | Unnest | Join | ParenthesizedJoin;

/** A table by name or path; also an array path of an earlier alias (`FROM t, t.items AS i`), which is an implicit unnest. */
export interface TableReference extends Spanned {
  readonly kind: 'TableReference';
  /** One or more parts. A backticked part may hold the whole path (`` `a.b` ``); an unquoted first part may contain dashes (`my-project.d.t`). */
  readonly path: readonly Identifier[];
  readonly alias: Identifier | undefined;
  readonly withOffset: WithOffset | undefined;
}

export interface TableSubquery extends Spanned {
  readonly kind: 'TableSubquery';
  readonly query: Query;
  readonly alias: Identifier | undefined;
}

/** The dialect has none; parsed so that the error can name it. */
export interface TableFunction extends Spanned {
  readonly kind: 'TableFunction';
  readonly name: readonly Identifier[];
  readonly args: readonly Expression[];
  readonly alias: Identifier | undefined;
}

export interface Unnest extends Spanned {
  readonly kind: 'Unnest';
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
  readonly withOffset: WithOffset | undefined;
}

/** `WITH OFFSET [AS alias]`; without alias the column is `offset`. */
export interface WithOffset extends Spanned {
  readonly kind: 'WithOffset';
  readonly alias: Identifier | undefined;
}

export type JoinType = 'inner' | 'cross' | 'comma' | 'left' | 'right' | 'full';

/** Left-deep, in the order written. Has `on`, `using` or neither (`LEFT JOIN UNNEST(x)`). */
export interface Join extends Spanned {
  readonly kind: 'Join';
  readonly type: JoinType;
  readonly left: FromItem;
  readonly right: FromItem;
  readonly on: Expression | undefined;
  /** Empty if there is no USING. */
  readonly using: readonly Identifier[];
}

export interface ParenthesizedJoin extends Spanned {
  readonly kind: 'ParenthesizedJoin';
  readonly item: FromItem;
}
