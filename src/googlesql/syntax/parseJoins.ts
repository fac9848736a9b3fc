import type { Expression, FromItem, Identifier, Join, JoinType } from './nodes.ts';
import type { ParserState } from './parserState.ts';
import { isOuterMode } from './parseSetOperator.ts';

type TableRule = (p: ParserState) => FromItem;

interface Step {
  readonly type: JoinType;
  right: FromItem;
  on: Expression | undefined;
  using: readonly Identifier[];
}

/**
 * Parses joins after `first`, left-associative; a comma has the precedence of a join (GoogleSQL, "Join operations"). ON and
 * USING belong to the join before them. A second one belongs to the last join without a condition, whose right side is
 * everything in between: `a JOIN b JOIN c ON x ON y` is `a JOIN (b JOIN c ON x) ON y`.
 */
export function parseJoins(p: ParserState, first: FromItem, table: TableRule): FromItem {
  const steps: Step[] = [];
  for (;;) {
    if ((p.isWord('RIGHT') || p.isWord('FULL')) && !isOuterMode(p) && steps.some((step) => step.type === 'comma')) {
      p.fail('another kind of join', [], 'Put RIGHT JOIN or FULL JOIN after a comma in parentheses.');
    }
    const type = parseJoinType(p);
    if (type === undefined) break;
    p.link(steps.length);
    steps.push({ type, right: table(p), on: undefined, using: noNames });
    while (p.isWord('ON') || p.isWord('USING')) attachCondition(p, steps);
  }
  return fold(p, first, steps);
}

const noNames: readonly Identifier[] = Object.freeze([]);

/** Parses the keywords of a join, or a comma; undefined if neither comes next. */
export function parseJoinType(p: ParserState): JoinType | undefined {
  if (p.takeSymbol(',')) return 'comma';
  if (isOuterMode(p)) return undefined;
  if (p.isWord('NATURAL')) p.unsupported('NATURAL JOIN is not supported; name the columns with USING.');
  if (p.takeWord('JOIN')) return 'inner';
  if (p.takeWord('INNER')) return joinAfter(p, 'inner');
  if (p.takeWord('CROSS')) return joinAfter(p, 'cross');
  for (const type of ['left', 'right', 'full'] as const) {
    if (!p.takeWord(type.toUpperCase())) continue;
    p.takeWord('OUTER');
    return joinAfter(p, type);
  }
  return undefined;
}

function joinAfter(p: ParserState, type: JoinType): JoinType {
  p.expectWord('JOIN');
  return type;
}

/** `ON condition`, `USING (columns)`, or neither. */
export function parseJoinCondition(p: ParserState): Pick<Join, 'on' | 'using'> {
  if (p.takeWord('ON')) return { on: p.grammar.expression(p), using: noNames };
  if (!p.takeWord('USING')) return { on: undefined, using: noNames };
  p.expectSymbol('(');
  const using = p.list((inner) => inner.expectIdentifier('a column name'));
  p.expectSymbol(')', ' or a comma');
  return { on: undefined, using };
}

function attachCondition(p: ParserState, steps: Step[]): void {
  const at = steps.findLastIndex(takesCondition);
  const owner = steps[at];
  if (owner === undefined) {
    p.fail(
      'a join, a clause or the end of the query',
      [],
      'CROSS JOIN and comma joins have no condition; other joins have one.',
    );
  }
  const inner = steps.splice(at + 1);
  if (inner.length > 0) {
    const { right } = owner;
    const item = fold(p, right, inner);
    owner.right = p.make({ kind: 'ParenthesizedJoin', item, pos: right.pos, end: item.end });
  }
  const condition = parseJoinCondition(p);
  owner.on = condition.on;
  owner.using = condition.using;
}

function takesCondition(step: Step): boolean {
  return step.type !== 'cross' && step.type !== 'comma' && step.on === undefined && step.using.length === 0;
}

function fold(p: ParserState, first: FromItem, steps: readonly Step[]): FromItem {
  let left = first;
  for (const { type, right, on, using } of steps) {
    const end = Math.max(right.end, on?.end ?? 0, using.at(-1)?.end ?? 0);
    left = p.make({ kind: 'Join', type, left, right, on, using, pos: first.pos, end });
  }
  return left;
}
