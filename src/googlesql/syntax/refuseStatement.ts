import { statementWords } from './keywords.ts';
import type { ParserState } from './parserState.ts';
import type { Token } from './token.ts';

/** Refuses, by its name, a statement that stands where a query must start (googlesql.md, section 5). */
export function refuseStatement(p: ParserState, { word }: Token): void {
  if (statementWords.has(word)) p.refuse('sandbox.statement', `Only SELECT is allowed; got ${word}.`, 'SELECT');
}

/** The same behind a parenthesis that could also hold an expression or a table: only what can be nothing else. */
export function refuseStatementInParentheses(p: ParserState): void {
  const first = p.peek(1);
  const second = p.peek(2).word;
  if (second === 'INTO' || (first.word === 'DELETE' && second === 'FROM') || first.word === 'CREATE')
    refuseStatement(p, first);
}
