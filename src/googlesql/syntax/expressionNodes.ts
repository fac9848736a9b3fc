import type { OrderingItem, Query } from './nodes.ts';
import type { Spanned } from './position.ts';
import type { TypeNode } from './typeNodes.ts';

/** A name as written, without its backticks. Names are case-insensitive; a quoted one may contain any character. */
export interface Identifier extends Spanned {
  readonly kind: 'Identifier';
  readonly name: string;
  readonly quoted: boolean;
}

/** Unsigned; a minus before it is a Unary. At most 2^64 - 1: the resolver checks INT64, where -9223372036854775808 fits. */
export interface IntegerLiteral extends Spanned {
  readonly kind: 'IntegerLiteral';
  readonly value: bigint;
  readonly isHex: boolean;
}

/** `text` as written (`.5`, `1e3`, `1.`); `value` is finite. */
export interface FloatLiteral extends Spanned {
  readonly kind: 'FloatLiteral';
  readonly text: string;
  readonly value: number;
}

/** `value` after escapes. */
export interface StringLiteral extends Spanned {
  readonly kind: 'StringLiteral';
  readonly value: string;
}

/** `hex` holds the bytes after escapes, two lower-case digits each. */
export interface BytesLiteral extends Spanned {
  readonly kind: 'BytesLiteral';
  readonly hex: string;
}

export interface BooleanLiteral extends Spanned {
  readonly kind: 'BooleanLiteral';
  readonly value: boolean;
}

export interface NullLiteral extends Spanned {
  readonly kind: 'NullLiteral';
}

export type TypedLiteralType = 'DATE' | 'DATETIME' | 'TIME' | 'TIMESTAMP' | 'JSON' | 'NUMERIC' | 'BIGNUMERIC';

/** `timestamp '2026-05-01'`. The parser does not check the text. */
export interface TypedLiteral extends Spanned {
  readonly kind: 'TypedLiteral';
  readonly type: TypedLiteralType;
  readonly value: StringLiteral;
}

/** `hour`, `week(monday)`: as written; the resolver knows the parts. */
export interface DatePart extends Spanned {
  readonly kind: 'DatePart';
  readonly name: Identifier;
  readonly argument: Identifier | undefined;
}

/** `INTERVAL value part`, or `INTERVAL 'text' part TO toPart`. */
export interface Interval extends Spanned {
  readonly kind: 'Interval';
  readonly value: Expression;
  readonly part: Identifier;
  readonly toPart: Identifier | undefined;
}

/** `@name`, without the sign. */
export interface Parameter extends Spanned {
  readonly kind: 'Parameter';
  readonly name: string;
}

/** A bare name: an alias, a column, a field, a date part, or `current_date` without parentheses. Every path starts with one. */
export interface Name extends Spanned {
  readonly kind: 'Name';
  readonly name: Identifier;
}

/** `operand.field`. A path `a.b.c` is FieldAccess(FieldAccess(Name a, b), c). */
export interface FieldAccess extends Spanned {
  readonly kind: 'FieldAccess';
  readonly operand: Expression;
  readonly field: Identifier;
}

export type SubscriptAccessor = 'plain' | 'offset' | 'ordinal' | 'safe_offset' | 'safe_ordinal';

/** `operand[index]`, `operand[offset(index)]` and so on. */
export interface Subscript extends Spanned {
  readonly kind: 'Subscript';
  readonly operand: Expression;
  readonly accessor: SubscriptAccessor;
  readonly index: Expression;
}

export type UnaryOperator = '-' | '+' | '~' | 'not';

export interface Unary extends Spanned {
  readonly kind: 'Unary';
  readonly operator: UnaryOperator;
  readonly operand: Expression;
}

export type ComparisonOperator = '=' | '!=' | '<' | '<=' | '>' | '>=';
export type BinaryOperator = ComparisonOperator | '+' | '-' | '*' | '/' | '||' | '&' | '|' | '^' | '<<' | '>>';

/** `<>` arrives as `!=`. */
export interface Binary extends Spanned {
  readonly kind: 'Binary';
  readonly operator: BinaryOperator;
  readonly left: Expression;
  readonly right: Expression;
}

/** `a AND b AND c` as one node of two operands or more, so that long chains stay flat. */
export interface Logical extends Spanned {
  readonly kind: 'Logical';
  readonly operator: 'and' | 'or';
  readonly operands: readonly Expression[];
}

/** `x IS [NOT] NULL | TRUE | FALSE | UNKNOWN`. */
export interface Is extends Spanned {
  readonly kind: 'Is';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly value: 'null' | 'true' | 'false' | 'unknown';
}

/** `left IS [NOT] DISTINCT FROM right`. */
export interface IsDistinctFrom extends Spanned {
  readonly kind: 'IsDistinctFrom';
  readonly left: Expression;
  readonly right: Expression;
  readonly isNegated: boolean;
}

export interface Between extends Spanned {
  readonly kind: 'Between';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly low: Expression;
  readonly high: Expression;
}

/** LIKE and ILIKE. `escape` is an extension of GoogleSQL (googlesql.md, section 4). */
export interface Like extends Spanned {
  readonly kind: 'Like';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly isCaseInsensitive: boolean;
  readonly pattern: Expression;
  readonly escape: Expression | undefined;
}

/** `x [NOT] LIKE ANY | SOME | ALL (a, b)`: one pattern or more; SOME means ANY. */
export interface LikeList extends Spanned {
  readonly kind: 'LikeList';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly isCaseInsensitive: boolean;
  readonly quantifier: 'any' | 'all';
  readonly patterns: readonly Expression[];
}

/** `x [NOT] LIKE ANY | SOME | ALL UNNEST(array)`. */
export interface LikeUnnest extends Spanned {
  readonly kind: 'LikeUnnest';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly isCaseInsensitive: boolean;
  readonly quantifier: 'any' | 'all';
  readonly array: Expression;
}

/** `x [NOT] LIKE ANY | SOME | ALL (SELECT …)`. */
export interface LikeSubquery extends Spanned {
  readonly kind: 'LikeSubquery';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly isCaseInsensitive: boolean;
  readonly quantifier: 'any' | 'all';
  readonly query: Query;
}

/** `x [NOT] IN (a, b)`: one item or more. */
export interface InList extends Spanned {
  readonly kind: 'InList';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly items: readonly Expression[];
}

export interface InUnnest extends Spanned {
  readonly kind: 'InUnnest';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly array: Expression;
}

export interface InSubquery extends Spanned {
  readonly kind: 'InSubquery';
  readonly operand: Expression;
  readonly isNegated: boolean;
  readonly query: Query;
}

export interface CaseBranch extends Spanned {
  readonly kind: 'CaseBranch';
  readonly when: Expression;
  readonly then: Expression;
}

/** `CASE WHEN …` (operand undefined) and `CASE operand WHEN …`. One branch or more. */
export interface Case extends Spanned {
  readonly kind: 'Case';
  readonly operand: Expression | undefined;
  readonly branches: readonly CaseBranch[];
  readonly otherwise: Expression | undefined;
}

/** CAST, SAFE_CAST and `x::type` (`isDoubleColon`; then neither safe nor formatted). */
export interface Cast extends Spanned {
  readonly kind: 'Cast';
  readonly operand: Expression;
  readonly type: TypeNode;
  readonly isSafe: boolean;
  readonly isDoubleColon: boolean;
  readonly format: Expression | undefined;
  readonly timeZone: Expression | undefined;
}

export interface Extract extends Spanned {
  readonly kind: 'Extract';
  readonly part: DatePart;
  readonly operand: Expression;
  readonly timeZone: Expression | undefined;
}

/** The `*` of `count(*)`. */
export interface StarArgument extends Spanned {
  readonly kind: 'StarArgument';
}

/** `name => value`. */
export interface NamedArgument extends Spanned {
  readonly kind: 'NamedArgument';
  readonly name: Identifier;
  readonly value: Expression;
}

export type FunctionArgument = Expression | StarArgument | NamedArgument;

/** `HAVING MAX x` / `HAVING MIN x` inside the parentheses of an aggregate. */
export interface HavingModifier extends Spanned {
  readonly kind: 'HavingModifier';
  readonly extreme: 'max' | 'min';
  readonly expression: Expression;
}

/** `name` is the path as written without a leading SAFE (`net.host` has two parts), never empty. */
export interface FunctionCall extends Spanned {
  readonly kind: 'FunctionCall';
  readonly name: readonly Identifier[];
  readonly isSafe: boolean;
  readonly isDistinct: boolean;
  readonly args: readonly FunctionArgument[];
  readonly nulls: 'ignore' | 'respect' | undefined;
  readonly having: HavingModifier | undefined;
  readonly orderBy: readonly OrderingItem[];
  readonly limit: Expression | undefined;
  readonly over: Window | undefined;
}

/** `OVER name`. */
export interface WindowName extends Spanned {
  readonly kind: 'WindowName';
  readonly name: Identifier;
}

/** `( [base] [PARTITION BY …] [ORDER BY …] [frame] )`. */
export interface WindowSpecification extends Spanned {
  readonly kind: 'WindowSpecification';
  readonly base: Identifier | undefined;
  readonly partitionBy: readonly Expression[];
  readonly orderBy: readonly OrderingItem[];
  readonly frame: WindowFrame | undefined;
}

export type Window = WindowName | WindowSpecification;

/** `upper` is undefined if the text has only the start; it then means the current row. */
export interface WindowFrame extends Spanned {
  readonly kind: 'WindowFrame';
  readonly unit: 'rows' | 'range';
  readonly lower: FrameBound;
  readonly upper: FrameBound | undefined;
}

/** `distance` is defined only for `preceding` and `following`. */
export interface FrameBound extends Spanned {
  readonly kind: 'FrameBound';
  readonly bound: 'unbounded_preceding' | 'preceding' | 'current_row' | 'following' | 'unbounded_following';
  readonly distance: Expression | undefined;
}

/** `[a, b]`, `ARRAY[a, b]`, `ARRAY<T>[a, b]` (then with `elementType`). */
export interface ArrayConstructor extends Spanned {
  readonly kind: 'ArrayConstructor';
  readonly elementType: TypeNode | undefined;
  readonly elements: readonly Expression[];
}

export interface ArraySubquery extends Spanned {
  readonly kind: 'ArraySubquery';
  readonly query: Query;
}

export interface StructArgument extends Spanned {
  readonly kind: 'StructArgument';
  readonly expression: Expression;
  readonly alias: Identifier | undefined;
}

/** `STRUCT(a, b AS c)`, `STRUCT<x INT64, STRING>(1, 'a')` (then with `type` and without aliases). */
export interface StructConstructor extends Spanned {
  readonly kind: 'StructConstructor';
  readonly type: TypeNode | undefined;
  readonly fields: readonly StructArgument[];
}

/** `(a, b)`: a struct of two unnamed fields or more. */
export interface Tuple extends Spanned {
  readonly kind: 'Tuple';
  readonly elements: readonly Expression[];
}

export interface Exists extends Spanned {
  readonly kind: 'Exists';
  readonly query: Query;
}

export interface ScalarSubquery extends Spanned {
  readonly kind: 'ScalarSubquery';
  readonly query: Query;
}

/** An expression. Parentheses have no node; the shape of the tree shows the grouping. */
export type Expression =
  | IntegerLiteral
  | FloatLiteral
  | StringLiteral
  | BytesLiteral
  | BooleanLiteral
  | NullLiteral
  | TypedLiteral
  | Interval
  | Parameter
  | Name
  | FieldAccess
  | Subscript
  | Unary
  | Binary
  | Logical
  | Is
  | IsDistinctFrom
  | Between
  | Like
  | LikeList
  | LikeUnnest
  | LikeSubquery
  | InList
  | InUnnest
  | InSubquery
  | Case
  | Cast
  | Extract
  | FunctionCall
  | ArrayConstructor
  | ArraySubquery
  | StructConstructor
  | Tuple
  | Exists
  | ScalarSubquery;

/** The parts of expressions that are not expressions themselves. */
export type ExpressionPart =
  | Identifier
  | DatePart
  | CaseBranch
  | StarArgument
  | NamedArgument
  | HavingModifier
  | WindowName
  | WindowSpecification
  | WindowFrame
  | FrameBound
  | StructArgument;
