import { tokenize } from './lexer.ts';
import { LineMap } from './lineMap.ts';
import { NoticeList } from './notice.ts';

/** Words that begin a line outside parentheses. */
const lineWords: ReadonlySet<string> = new Set(['FROM', 'WHERE', 'GROUP', 'ORDER', 'LIMIT', 'AND']);

/** A printed query with a line for each clause and each condition. The text has the same tokens. */
export function layOut(printed: string): string {
  const lines: string[] = [];
  let depth = 0;
  let openBetweens = 0;
  let from = 0;
  for (const { kind, text, word, offset } of tokenize(printed, new LineMap(printed), new NoticeList())) {
    if (kind === 'symbol' && (text === '(' || text === '[')) depth++;
    if (kind === 'symbol' && (text === ')' || text === ']')) depth--;
    if (depth > 0) continue;
    if (word === 'BETWEEN') openBetweens++;
    // The AND of a BETWEEN belongs to it.
    const isOwn = word === 'AND' && openBetweens > 0;
    if (isOwn) openBetweens--;
    if (isOwn || !lineWords.has(word)) continue;
    lines.push(printed.slice(from, offset).trimEnd());
    from = offset;
  }
  lines.push(printed.slice(from));
  return lines.map((line) => (line.startsWith('AND') ? `  ${line}` : line)).join('\n');
}
