import { statementWords } from './keywords.ts';
import type { ParserState } from './parserState.ts';
import type { Token } from './token.ts';

/** Refuses, by name, a statement where a query must start (googlesql.md, section 5). */
export function refuseStatement(p: ParserState, { word }: Token): void {
  if (statementWords.has(word)) p.refuse('sandbox.statement', `Only SELECT is allowed; got ${word}.`, 'SELECT');
}

/** The same after a parenthesis, where an expression or table is also possible: refuses only what must be a statement. */
export function refuseStatementInParentheses(p: ParserState): void {
  const first = p.peek(1);
  const second = p.peek(2).word;
  if (second === 'INTO' || (first.word === 'DELETE' && second === 'FROM') || first.word === 'CREATE')
    refuseStatement(p, first);
}
