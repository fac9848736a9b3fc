/**
 * Takes the place of microseconds that another statement finds first. No literal is written with this character
 * (sqlText.ts), so only our own marks are replaced.
 */
export const cutoffMark = '\u0000';

/** Replaces the marks in a statement. `micros` is a whole number as text. @throws Error if it is not */
export function withCutoff(sql: string, micros: string): string {
  if (!/^-?\d{1,19}$/.test(micros)) throw new Error('a cutoff is not a whole number');
  return sql.replaceAll(cutoffMark, `CAST('${micros}' AS BIGINT)`);
}
