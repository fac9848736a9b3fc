/** Longer statements are their own shape. */
const shapedCharsMax = 50_000;

/**
 * A string, a quoted name, or the emitted form of a time or a whole number. The one that begins first is taken whole,
 * so a number inside a string belongs to the string.
 */
const tokens =
  /('[^']*(?:''[^']*)*')|("[^"]*(?:""[^"]*)*")|\bmake_timestamp\(\d{1,18}\)|\bCAST\('-?\d{1,19}' AS BIGINT\)/g;

const textMark = '\u0001';
const nameMark = '\u0002';
const numberMark = '\u0003';

/**
 * Constructs outside of strings and names that change the meaning of quotes: comments, dollar quoting, backslashes, a
 * prefix that gives a string other rules, an unclosed quote.
 */
const otherQuoting = new RegExp(`['"$\\\\]|--|/\\*|[\\w&][${textMark}${nameMark}]`);

/**
 * A statement without its times and whole numbers. Two statements of one shape differ only in these, so their parses
 * differ only in the values of these constants. A statement is its own shape if its characters leave that open, or if
 * it has no such number. Shapes are for comparing, not for reading.
 */
export function statementShape(sql: string): string {
  const whole = `=${sql}`;
  if (sql.length > shapedCharsMax) return whole;
  const outside = sql.replace(tokens, (_, text?: string, name?: string) =>
    text !== undefined ? textMark : name !== undefined ? nameMark : numberMark,
  );
  if (!outside.includes(numberMark) || sql.includes(numberMark) || otherQuoting.test(outside)) return whole;
  const shape = sql.replace(tokens, (token: string, text?: string, name?: string) =>
    text === undefined && name === undefined ? numberMark + token[0] : token,
  );
  return `~${shape}`;
}
