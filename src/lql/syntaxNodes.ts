import type {
  BinaryOperator,
  Expression,
  FromItem,
  FunctionArgument,
  FunctionCall,
  GroupBy,
  Identifier,
  Name,
  OrderingItem,
  Position,
  Query,
  Select,
  SelectItem,
  Spanned,
  StringLiteral,
  TypeNode,
  Window,
} from '../googlesql/syntax/nodes.ts';

/**
 * Makes GoogleSQL syntax nodes with the position of their LQL clause, so that errors of the resolver point into the
 * caller's text.
 */

/** The position of nodes that come from no clause. */
export const startOfText: Position = { offset: 0, line: 1, column: 1 };

const at = (pos: Position): Spanned => ({ pos, end: pos.offset });

/** A quoted name, which is never a keyword. */
export const identifier = (name: string, pos: Position): Identifier => ({
  kind: 'Identifier',
  name,
  quoted: true,
  ...at(pos),
});

export const name = (text: string, pos: Position): Name => ({ kind: 'Name', name: identifier(text, pos), ...at(pos) });

/** A path from its first name inwards, such as `a.b.c`. */
export function path([first = '', ...rest]: readonly string[], pos: Position): Expression {
  return rest.reduce<Expression>(
    (operand, step) => ({ kind: 'FieldAccess', operand, field: identifier(step, pos), ...at(pos) }),
    name(first, pos),
  );
}

export const text = (value: string, pos: Position): StringLiteral => ({ kind: 'StringLiteral', value, ...at(pos) });

/** A number in LQL syntax: digits, optionally with a fraction and a minus. */
export function number(written: string, pos: Position): Expression {
  const isNegative = written.startsWith('-');
  const digits = isNegative ? written.slice(1) : written;
  const literal: Expression = digits.includes('.')
    ? { kind: 'FloatLiteral', text: digits, value: Number(digits), ...at(pos) }
    : { kind: 'IntegerLiteral', value: BigInt(digits), isHex: false, ...at(pos) };
  return isNegative ? { kind: 'Unary', operator: '-', operand: literal, ...at(pos) } : literal;
}

export const boolean = (value: boolean, pos: Position): Expression => ({ kind: 'BooleanLiteral', value, ...at(pos) });

/** A TIMESTAMP in a form that GoogleSQL reads. */
export const timestamp = (written: string, pos: Position): Expression => ({
  kind: 'TypedLiteral',
  type: 'TIMESTAMP',
  value: text(written, pos),
  ...at(pos),
});

export const parameter = (of: string, pos: Position): Expression => ({ kind: 'Parameter', name: of, ...at(pos) });

export const compare = (operator: BinaryOperator, left: Expression, right: Expression, pos: Position): Expression => ({
  kind: 'Binary',
  operator,
  left,
  right,
  ...at(pos),
});

export const between = (operand: Expression, low: Expression, high: Expression, pos: Position): Expression => ({
  kind: 'Between',
  operand,
  isNegated: false,
  low,
  high,
  ...at(pos),
});

export const isNull = (operand: Expression, pos: Position): Expression => ({
  kind: 'Is',
  operand,
  isNegated: false,
  value: 'null',
  ...at(pos),
});

/** NULL or not true. */
export const isNotTrue = (operand: Expression, pos: Position): Expression => ({
  kind: 'Is',
  operand,
  isNegated: true,
  value: 'true',
  ...at(pos),
});

export const isOneOf = (operand: Expression, items: readonly Expression[], pos: Position): Expression => ({
  kind: 'InList',
  operand,
  isNegated: false,
  items,
  ...at(pos),
});

export const isElementOf = (operand: Expression, array: Expression, pos: Position): Expression => ({
  kind: 'InUnnest',
  operand,
  isNegated: false,
  array,
  ...at(pos),
});

/** The conjunction of one or more operands. */
export function all(operands: readonly Expression[], pos: Position): Expression {
  const [only] = operands;
  if (only !== undefined && operands.length === 1) return only;
  return { kind: 'Logical', operator: 'and', operands, ...at(pos) };
}

/** `of` is the name of the function. */
export function call(
  of: string,
  args: readonly FunctionArgument[],
  pos: Position,
  options: { readonly isSafe?: boolean; readonly isDistinct?: boolean; readonly over?: Window } = {},
): FunctionCall {
  return {
    kind: 'FunctionCall',
    name: [identifier(of, pos)],
    isSafe: options.isSafe ?? false,
    isDistinct: options.isDistinct ?? false,
    args,
    nulls: undefined,
    having: undefined,
    orderBy: [],
    limit: undefined,
    over: options.over,
    ...at(pos),
  };
}

export const star = (pos: Position): FunctionArgument => ({ kind: 'StarArgument', ...at(pos) });

/** The run's reading of the clock. */
export const now = (pos: Position): Expression => call('current_timestamp', [], pos);

export const interval = (count: number, part: string, pos: Position): Expression => ({
  kind: 'Interval',
  value: number(String(count), pos),
  part: identifier(part, pos),
  toPart: undefined,
  ...at(pos),
});

export const safeCast = (operand: Expression, type: TypeNode, pos: Position): Expression => ({
  kind: 'Cast',
  operand,
  type,
  isSafe: true,
  isDoubleColon: false,
  format: undefined,
  timeZone: undefined,
  ...at(pos),
});

export const arrayType = (element: string, pos: Position): TypeNode => ({
  kind: 'ArrayType',
  element: { kind: 'NamedType', name: element, parameters: [], ...at(pos) },
  ...at(pos),
});

export const unnest = (expression: Expression, alias: string, pos: Position): FromItem => ({
  kind: 'Unnest',
  expression,
  alias: identifier(alias, pos),
  withOffset: undefined,
  ...at(pos),
});

export const exists = (of: Query, pos: Position): Expression => ({ kind: 'Exists', query: of, ...at(pos) });

export const subquery = (of: Query, alias: string, pos: Position): FromItem => ({
  kind: 'TableSubquery',
  query: of,
  alias: identifier(alias, pos),
  ...at(pos),
});

/** The element of an array, counted from 0. */
export const elementAt = (operand: Expression, index: Expression, pos: Position): Expression => ({
  kind: 'Subscript',
  operand,
  accessor: 'offset',
  index,
  ...at(pos),
});

export const groupBy = (expression: Expression, pos: Position): GroupBy => ({
  kind: 'GroupBy',
  isAll: false,
  items: [{ kind: 'GroupingExpression', expression, ...at(pos) }],
  ...at(pos),
});

export const selected = (expression: Expression, alias: string, pos: Position): SelectItem => ({
  kind: 'SelectExpression',
  expression,
  alias: identifier(alias, pos),
  ...at(pos),
});

export const everyColumn = (pos: Position): SelectItem => ({
  kind: 'SelectStar',
  qualifier: undefined,
  except: [],
  replace: [],
  ...at(pos),
});

export const ordering = (expression: Expression, direction: 'asc' | 'desc', pos: Position): OrderingItem => ({
  kind: 'OrderingItem',
  expression,
  direction,
  nulls: undefined,
  ...at(pos),
});

export function select(parts: Pick<Select, 'items' | 'from'> & Partial<Select>, pos: Position): Select {
  return {
    kind: 'Select',
    isDistinct: false,
    as: undefined,
    where: undefined,
    groupBy: undefined,
    having: undefined,
    qualify: undefined,
    windows: [],
    ...at(pos),
    ...parts,
  };
}

export const query = (body: Select, orderBy: readonly OrderingItem[], pos: Position): Query => ({
  kind: 'Query',
  withEntries: [],
  body,
  orderBy,
  limit: undefined,
  offset: undefined,
  pipes: [],
  ...at(pos),
});
