/** Longer ones are their own shape. */
const shapedCharsMax = 50_000;

/**
 * A text, a quoted name, or what the emitter writes for a time or a whole number. Whichever begins first is taken whole: a
 * number that stands in a text is a part of the text.
 */
const tokens =
  /('[^']*(?:''[^']*)*')|("[^"]*(?:""[^"]*)*")|\bmake_timestamp\(\d{1,18}\)|\bCAST\('-?\d{1,19}' AS BIGINT\)/g;

const textMark = '\u0001';
const nameMark = '\u0002';
const numberMark = '\u0003';

/**
 * What makes quotes other than they seem, where it stands outside of texts and names: comments, texts in dollars,
 * backslashes, a prefix that gives a text other rules, a quote that is not closed.
 */
const otherQuoting = new RegExp(`['"$\\\\]|--|/\\*|[\\w&][${textMark}${nameMark}]`);

/**
 * A statement without the times and whole numbers that it names: two of one shape differ in nothing else, so that what the
 * engine's parser makes of them differs in the values of these constants alone. A statement of which that cannot be told by
 * its characters is its own shape, and so is one that names no such number. Shapes are to be compared, not to be read.
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
