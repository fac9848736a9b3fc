import type { BinaryOperator, Expression } from './nodes.ts';

/** How tightly an expression holds together: an operand must reach the rank that its place asks for, or stand in parentheses. */
export const rank = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  /** Beside a comparison, in BETWEEN bounds, in frames. */
  operand: 5,
  /** A prefix operator and its operand. */
  prefix: 11,
  /** Before a dot, a bracket or `::`. */
  postfix: 12,
} as const;

const binaryRanks: Readonly<Record<BinaryOperator, number>> = {
  '=': rank.comparison,
  '!=': rank.comparison,
  '<': rank.comparison,
  '<=': rank.comparison,
  '>': rank.comparison,
  '>=': rank.comparison,
  '|': 5,
  '^': 6,
  '&': 7,
  '<<': 8,
  '>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '||': 10,
};

export function rankOf(expression: Expression): number {
  switch (expression.kind) {
    case 'Logical':
      return rank[expression.operator];
    case 'Unary':
      return expression.operator === 'not' ? rank.not : rank.prefix;
    case 'Binary':
      return binaryRanks[expression.operator];
    case 'Is':
    case 'IsDistinctFrom':
    case 'Between':
    case 'Like':
    case 'LikeList':
    case 'LikeUnnest':
    case 'LikeSubquery':
    case 'InList':
    case 'InUnnest':
    case 'InSubquery':
      return rank.comparison;
    case 'IntegerLiteral':
    case 'FloatLiteral':
    case 'Interval':
      // `1.x` would be read as a number, and what follows an interval's date part is not part of it.
      return rank.prefix;
    case 'Cast':
      return expression.isDoubleColon ? rank.prefix : rank.postfix;
    default:
      return rank.postfix;
  }
}
