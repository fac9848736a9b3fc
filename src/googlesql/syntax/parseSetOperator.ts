import type { Identifier, NameMatching, SetOperator, SetQuantifier } from './nodes.ts';
import type { ParserState } from './parserState.ts';

export interface ParsedSetOperator {
  readonly operator: SetOperator;
  readonly quantifier: SetQuantifier;
  readonly byName: NameMatching | undefined;
}

type OuterMode = 'inner' | 'left' | 'full';

const operators = ['union', 'intersect', 'except'] as const;

/**
 * `UNION ALL`, `INTERSECT DISTINCT`, `LEFT OUTER UNION ALL BY NAME ON (a)` and so on, or nothing. ALL or DISTINCT is
 * required, as in GoogleSQL ("Set operators").
 */
export function parseSetOperator(p: ParserState): ParsedSetOperator | undefined {
  const mode = parseOuterMode(p);
  for (const operator of operators) {
    if (!p.takeWord(operator.toUpperCase())) continue;
    const quantifier = parseQuantifier(p, operator);
    return { operator, quantifier, byName: parseNameMatching(p, mode) };
  }
  return undefined;
}

/** Whether INNER, LEFT, FULL or OUTER comes next and belongs to a set operation, not to a join. */
export function isOuterMode(p: ParserState): boolean {
  const { word } = p.token;
  if (word !== 'INNER' && word !== 'LEFT' && word !== 'FULL' && word !== 'OUTER') return false;
  const next = word !== 'INNER' && word !== 'OUTER' && p.peek(1).word === 'OUTER' ? p.peek(2) : p.peek(1);
  return operators.some((operator) => operator.toUpperCase() === next.word);
}

function parseOuterMode(p: ParserState): OuterMode | undefined {
  if (!isOuterMode(p)) return undefined;
  const { word } = p.advance();
  p.takeWord('OUTER');
  if (word === 'INNER') return 'inner';
  return word === 'LEFT' ? 'left' : 'full';
}

function parseQuantifier(p: ParserState, operator: SetOperator): SetQuantifier {
  if (p.takeWord('ALL')) return 'all';
  if (p.takeWord('DISTINCT')) return 'distinct';
  p.fail(`ALL or DISTINCT after ${operator.toUpperCase()}`, ['ALL', 'DISTINCT']);
}

function parseNameMatching(p: ParserState, mode: OuterMode | undefined): NameMatching | undefined {
  if (p.takeWords('BY', 'NAME')) {
    return Object.freeze({ mode: mode ?? 'strict', columns: p.takeWord('ON') ? parseColumns(p) : noColumns });
  }
  const isStrict = p.isWord('STRICT') && p.peek(1).word === 'CORRESPONDING';
  if (isStrict && mode !== undefined) {
    p.fail(
      'CORRESPONDING',
      ['CORRESPONDING'],
      `STRICT cannot be combined with ${mode.toUpperCase()}: it requires the same columns in every arm.`,
    );
  }
  if (isStrict) p.advance();
  if (p.takeWord('CORRESPONDING')) {
    const columns = p.takeWord('BY') ? parseColumns(p) : noColumns;
    return Object.freeze({ mode: isStrict ? 'strict' : (mode ?? 'inner'), columns });
  }
  if (mode === undefined) return undefined;
  const sentence = `${mode.toUpperCase()} before a set operation requires BY NAME or CORRESPONDING after it.`;
  p.fail('BY NAME or CORRESPONDING', ['BY', 'CORRESPONDING'], sentence);
}

const noColumns: readonly Identifier[] = Object.freeze([]);

function parseColumns(p: ParserState): readonly Identifier[] {
  p.expectSymbol('(');
  const columns = p.list((inner) => inner.expectIdentifier('a column name'));
  p.expectSymbol(')', ' or a comma');
  return columns;
}
