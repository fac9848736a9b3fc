import type { BinaryOperator, Expression } from './nodes.ts';
import { parsePostfix } from './parsePostfix.ts';
import { isPredicateStart, parsePredicate } from './parsePredicate.ts';
import type { ParserState } from './parserState.ts';

/** Binary operators by precedence (GoogleSQL, "Operator precedence"); comparisons have a lower one. */
const binaryLevels: ReadonlyMap<string, number> = new Map([
  ['|', 1],
  ['^', 2],
  ['&', 3],
  ['<<', 4],
  ['>>', 4],
  ['+', 5],
  ['-', 5],
  ['*', 6],
  ['/', 6],
  ['||', 6],
]);

/** Parses OR, AND, NOT and comparisons. A chain of AND or OR becomes one node. */
export function parseExpression(p: ParserState): Expression {
  p.enter();
  const expression = chain(p, 'or');
  p.leave();
  return expression;
}

/** Parses an operand of a comparison, a BETWEEN bound or a frame bound. */
export function parseOperand(p: ParserState): Expression {
  return binary(p, 1);
}

function chain(p: ParserState, operator: 'or' | 'and'): Expression {
  const keyword = operator === 'or' ? 'OR' : 'AND';
  const first = operator === 'or' ? chain(p, 'and') : comparison(p);
  if (!p.isWord(keyword)) return first;
  const operands = [first];
  while (p.takeWord(keyword)) operands.push(operator === 'or' ? chain(p, 'and') : comparison(p));
  return p.make({ kind: 'Logical', operator, operands: Object.freeze(operands), pos: first.pos, end: p.lastEnd });
}

/** Parses one comparison. GoogleSQL does not chain them: `a = b = c` is an error. */
function comparison(p: ParserState): Expression {
  const left = binary(p, 1);
  if (!isPredicateStart(p)) return left;
  const result = parsePredicate(p, left);
  if (isPredicateStart(p)) {
    p.fail(
      'AND, OR or the end of the expression',
      [],
      'Comparisons cannot be chained: join them with AND, or use parentheses.',
    );
  }
  return result;
}

function binary(p: ParserState, levelMin: number): Expression {
  let left = prefix(p);
  for (let links = 1; ; links++) {
    const level = p.token.kind === 'symbol' ? binaryLevels.get(p.token.text) : undefined;
    if (level === undefined || level < levelMin) return left;
    p.link(links);
    const operator = p.advance().text as BinaryOperator;
    const right = binary(p, level + 1);
    left = p.make({ kind: 'Binary', operator, left, right, pos: left.pos, end: p.lastEnd });
  }
}

/** Parses prefix operators. NOT is also allowed as an operand (`a = not b`), with its usual precedence. */
function prefix(p: ParserState): Expression {
  const { token } = p;
  if (token.word === 'NOT') {
    const pos = p.here;
    p.advance();
    p.enter();
    const operand = comparison(p);
    p.leave();
    return p.make({ kind: 'Unary', operator: 'not', operand, pos, end: p.lastEnd });
  }
  if (token.kind !== 'symbol' || (token.text !== '-' && token.text !== '+' && token.text !== '~'))
    return parsePostfix(p);
  const pos = p.here;
  p.advance();
  p.enter();
  const operand = prefix(p);
  p.leave();
  return p.make({ kind: 'Unary', operator: token.text, operand, pos, end: p.lastEnd });
}
