import type { Expression, Identifier } from './expressionNodes.ts';
import type {
  FromItem,
  JoinType,
  NamedWindow,
  NameMatching,
  OrderingItem,
  ParenthesizedQuery,
  SelectExpression,
  SelectItem,
  SetOperator,
  SetQuantifier,
  WithEntry,
} from './nodes.ts';
import type { Spanned } from './position.ts';

export interface PipeWhere extends Spanned {
  readonly kind: 'PipeWhere';
  readonly condition: Expression;
}

export interface PipeSelect extends Spanned {
  readonly kind: 'PipeSelect';
  readonly isDistinct: boolean;
  /** `SELECT AS STRUCT` / `SELECT AS VALUE`. */
  readonly as: 'struct' | 'value' | undefined;
  readonly items: readonly SelectItem[];
  readonly windows: readonly NamedWindow[];
}

/** Adds columns after the existing ones. */
export interface PipeExtend extends Spanned {
  readonly kind: 'PipeExtend';
  readonly items: readonly SelectItem[];
  readonly windows: readonly NamedWindow[];
}

/** Like EXTEND, but every item contains a window function. */
export interface PipeWindow extends Spanned {
  readonly kind: 'PipeWindow';
  readonly items: readonly SelectItem[];
}

export interface PipeAssignment extends Spanned {
  readonly kind: 'PipeAssignment';
  readonly column: Identifier;
  readonly value: Expression;
}

/** Replaces columns in place. */
export interface PipeSet extends Spanned {
  readonly kind: 'PipeSet';
  readonly assignments: readonly PipeAssignment[];
}

export interface PipeDrop extends Spanned {
  readonly kind: 'PipeDrop';
  readonly columns: readonly Identifier[];
}

export interface PipeRenaming extends Spanned {
  readonly kind: 'PipeRenaming';
  readonly column: Identifier;
  readonly alias: Identifier;
}

export interface PipeRename extends Spanned {
  readonly kind: 'PipeRename';
  readonly renamings: readonly PipeRenaming[];
}

export interface PipeAs extends Spanned {
  readonly kind: 'PipeAs';
  readonly alias: Identifier;
}

/** An aggregate or grouping expression of `|> AGGREGATE`. If it has a direction, the result is ordered by it. */
export interface PipeAggregateItem extends Spanned {
  readonly kind: 'PipeAggregateItem';
  readonly item: SelectExpression;
  readonly direction: 'asc' | 'desc' | undefined;
  readonly nulls: 'first' | 'last' | undefined;
}

/** `|> AGGREGATE items [GROUP [AND ORDER] BY groupBy]`. The grouping columns come first in the result. */
export interface PipeAggregate extends Spanned {
  readonly kind: 'PipeAggregate';
  readonly items: readonly PipeAggregateItem[];
  readonly groupBy: readonly PipeAggregateItem[];
  /** Whether the text has GROUP AND ORDER BY. */
  readonly isOrdered: boolean;
}

export interface PipeDistinct extends Spanned {
  readonly kind: 'PipeDistinct';
}

export interface PipeOrderBy extends Spanned {
  readonly kind: 'PipeOrderBy';
  readonly items: readonly OrderingItem[];
}

export interface PipeLimit extends Spanned {
  readonly kind: 'PipeLimit';
  readonly limit: Expression;
  readonly offset: Expression | undefined;
}

/** The left side is the input of the pipe; a preceding PipeAs gives it an alias. */
export interface PipeJoin extends Spanned {
  readonly kind: 'PipeJoin';
  readonly type: Exclude<JoinType, 'comma'>;
  readonly right: FromItem;
  readonly on: Expression | undefined;
  readonly using: readonly Identifier[];
}

/** The first arm is the input of the pipe. */
export interface PipeSetOperation extends Spanned {
  readonly kind: 'PipeSetOperation';
  readonly operator: SetOperator;
  readonly quantifier: SetQuantifier;
  readonly byName: NameMatching | undefined;
  readonly arms: readonly ParenthesizedQuery[];
}

/** Defines tables for the operators after it. */
export interface PipeWith extends Spanned {
  readonly kind: 'PipeWith';
  readonly withEntries: readonly WithEntry[];
}

export type PipeOperator =
  | PipeWhere
  | PipeSelect
  | PipeExtend
  | PipeSet
  | PipeDrop
  | PipeRename
  | PipeAs
  | PipeAggregate
  | PipeDistinct
  | PipeOrderBy
  | PipeLimit
  | PipeJoin
  | PipeSetOperation
  | PipeWindow
  | PipeWith;

export type PipeNode = PipeOperator | PipeAssignment | PipeRenaming | PipeAggregateItem;
