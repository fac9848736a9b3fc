import type { BinaryOperator, Expression } from './nodes.ts';
import { parsePostfix } from './parsePostfix.ts';
import { isPredicateStart, parsePredicate } from './parsePredicate.ts';
import type { ParserState } from './parserState.ts';

/** Operators with two operands by how tightly they bind (GoogleSQL, "Operator precedence"); comparisons bind less. */
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

/** `or` of `and`s of `not`s of comparisons. AND and OR chains become one node each, however long. */
export function parseExpression(p: ParserState): Expression {
  p.enter();
  const expression = chain(p, 'or');
  p.leave();
  return expression;
}

/** An expression as it may stand beside a comparison operator, in BETWEEN bounds and in window frames. */
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

/** Comparisons do not chain in GoogleSQL: `a = b = c` is an error. */
function comparison(p: ParserState): Expression {
  const left = binary(p, 1);
  if (!isPredicateStart(p)) return left;
  const result = parsePredicate(p, left);
  if (isPredicateStart(p)) {
    p.fail(
      'AND, OR or the end of the expression',
      [],
      'Comparisons do not chain: join them with AND, or use parentheses.',
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

/** NOT may also stand where only an operand is expected (`a = not b`); it then reaches as far as anywhere else. */
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
