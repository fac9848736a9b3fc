import type { WithEntry } from './nodes.ts';
import { parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';

/** Parses the tables after WITH, which has been read. */
export function parseWithEntries(p: ParserState): readonly WithEntry[] {
  if (p.isWord('RECURSIVE')) p.unsupported('WITH RECURSIVE is not supported.');
  const entries = [parseWithEntry(p)];
  // A trailing comma is allowed before a pipe operator, as in other lists of pipe syntax.
  while (p.takeSymbol(',') && !p.isSymbol('|>')) {
    if (p.isWord('SELECT'))
      p.fail('the name of a WITH table', [], 'Remove the comma between the last WITH table and the query.');
    entries.push(parseWithEntry(p));
  }
  return Object.freeze(entries);
}

function parseWithEntry(p: ParserState): WithEntry {
  const name = p.expectIdentifier('the name of a WITH table');
  if (p.isSymbol('(')) p.unsupported('Column lists of WITH tables are not supported; name the columns in the SELECT.');
  p.expectWord('AS');
  const query = parseQueryInParentheses(p);
  return p.make({ kind: 'WithEntry', name, query, pos: name.pos, end: p.lastEnd });
}
