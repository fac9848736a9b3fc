import type { SetOperator, SetQuantifier } from './nodes.ts';
import type { ParserState } from './parserState.ts';

export interface ParsedSetOperator {
  readonly operator: SetOperator;
  readonly quantifier: SetQuantifier;
}

/** `UNION ALL`, `INTERSECT DISTINCT` and so on, or nothing. The quantifier must be written, as in GoogleSQL. */
export function parseSetOperator(p: ParserState): ParsedSetOperator | undefined {
  for (const operator of ['union', 'intersect', 'except'] as const) {
    if (!p.takeWord(operator.toUpperCase())) continue;
    const quantifier = parseQuantifier(p, operator);
    if (p.isWord('BY') || p.isWord('CORRESPONDING') || p.isWord('STRICT')) {
      p.unsupported('Set operations match columns by position; BY NAME and CORRESPONDING are not supported.');
    }
    return { operator, quantifier };
  }
  return undefined;
}

function parseQuantifier(p: ParserState, operator: SetOperator): SetQuantifier {
  if (p.takeWord('ALL')) return 'all';
  if (p.takeWord('DISTINCT')) return 'distinct';
  p.fail(`ALL or DISTINCT after ${operator.toUpperCase()}`, ['ALL', 'DISTINCT']);
}
