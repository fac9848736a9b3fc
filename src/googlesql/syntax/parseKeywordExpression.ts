import type { CaseBranch, DatePart, Expression, Identifier } from './nodes.ts';
import { parseQueryInParentheses } from './parseParentheses.ts';
import type { ParserState } from './parserState.ts';

/** `CASE [operand] WHEN … THEN … [ELSE …] END`. */
export function parseCase(p: ParserState): Expression {
  const pos = p.here;
  p.advance();
  const operand = p.isWord('WHEN') ? undefined : p.grammar.expression(p);
  const branches: CaseBranch[] = [];
  do branches.push(parseBranch(p));
  while (p.isWord('WHEN'));
  const otherwise = p.takeWord('ELSE') ? p.grammar.expression(p) : undefined;
  p.expectWord('END', otherwise === undefined ? ['WHEN', 'ELSE'] : []);
  return p.make({ kind: 'Case', operand, branches: Object.freeze(branches), otherwise, pos, end: p.lastEnd });
}

function parseBranch(p: ParserState): CaseBranch {
  const pos = p.here;
  p.expectWord('WHEN');
  const when = p.grammar.expression(p);
  p.expectWord('THEN');
  const then = p.grammar.expression(p);
  return p.make({ kind: 'CaseBranch', when, then, pos, end: p.lastEnd });
}

/** `CAST(x AS type [FORMAT f [AT TIME ZONE z]])`, also SAFE_CAST. */
export function parseCast(p: ParserState): Expression {
  const pos = p.here;
  const isSafe = p.advance().word === 'SAFE_CAST';
  p.expectSymbol('(');
  const operand = p.grammar.expression(p);
  p.expectWord('AS');
  const type = p.grammar.type(p, false);
  const format = p.takeWord('FORMAT') ? p.grammar.expression(p) : undefined;
  const timeZone = format === undefined ? undefined : parseTimeZone(p);
  p.expectSymbol(')');
  return p.make({ kind: 'Cast', operand, type, isSafe, isDoubleColon: false, format, timeZone, pos, end: p.lastEnd });
}

/** `EXTRACT(part FROM x [AT TIME ZONE z])`. */
export function parseExtract(p: ParserState): Expression {
  const pos = p.here;
  p.advance();
  p.expectSymbol('(');
  const part = parseDatePart(p);
  p.expectWord('FROM');
  const operand = p.grammar.expression(p);
  const timeZone = parseTimeZone(p);
  p.expectSymbol(')');
  return p.make({ kind: 'Extract', part, operand, timeZone, pos, end: p.lastEnd });
}

/** `hour`, `week(monday)`. */
function parseDatePart(p: ParserState): DatePart {
  const name = p.expectIdentifier('a date part such as hour or day');
  let argument: Identifier | undefined;
  if (p.takeSymbol('(')) {
    argument = p.expectIdentifier('a weekday');
    p.expectSymbol(')');
  }
  return p.make({ kind: 'DatePart', name, argument, pos: name.pos, end: p.lastEnd });
}

function parseTimeZone(p: ParserState): Expression | undefined {
  if (!p.takeWord('AT')) return undefined;
  p.expectWord('TIME');
  p.expectWord('ZONE');
  return p.grammar.expression(p);
}

/** `INTERVAL x part`, `INTERVAL '…' part TO part`. */
export function parseInterval(p: ParserState): Expression {
  const pos = p.here;
  p.advance();
  const value = p.grammar.expression(p);
  const part = p.expectIdentifier('a date part such as HOUR or DAY');
  const toPart = p.takeWord('TO') ? p.expectIdentifier('a date part after TO') : undefined;
  return p.make({ kind: 'Interval', value, part, toPart, pos, end: p.lastEnd });
}

/** `EXISTS(query)`. */
export function parseExists(p: ParserState): Expression {
  const pos = p.here;
  p.advance();
  const query = parseQueryInParentheses(p);
  return p.make({ kind: 'Exists', query, pos, end: p.lastEnd });
}
