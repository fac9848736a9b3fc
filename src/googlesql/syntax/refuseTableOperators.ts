import type { ParserState } from './parserState.ts';

/** Refuses table operators of GoogleSQL that the dialect lacks. */
export function refuseTableOperators(p: ParserState): void {
  const { word } = p.token;
  if (word === 'TABLESAMPLE') p.unsupported('TABLESAMPLE is not supported.');
  if (word === 'FOR') p.unsupported('FOR SYSTEM_TIME AS OF is not supported.');
  const isOperator = p.nextIsSymbol('(') || p.peek(2).word === 'NULLS';
  if (isOperator && (word === 'PIVOT' || word === 'UNPIVOT' || word === 'MATCH_RECOGNIZE')) {
    p.unsupported(`${word} is not supported${word === 'PIVOT' ? '; use countif or sum(if(…)) per column' : ''}.`);
  }
}
