import type { BinaryOperator, Expression } from './nodes.ts';

/** Precedence of expressions. An operand whose rank is below what its position requires is printed in parentheses. */
export const rank = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  /** An operand of a comparison, a BETWEEN bound or a frame bound. */
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
      // `1.x` would be read as a number, and nothing may follow the date part of an interval.
      return rank.prefix;
    case 'Cast':
      return expression.isDoubleColon ? rank.prefix : rank.postfix;
    default:
      return rank.postfix;
  }
}
