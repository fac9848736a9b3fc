/**
 * Stands in a statement for microseconds that another statement finds first. No literal is written
 * with this character (sqlText.ts), so that nothing but a mark of ours is replaced.
 */
export const cutoffMark = '\u0000';

/** The statement with its marks replaced. `micros` is a whole number as text. @throws Error where it is not. */
export function withCutoff(sql: string, micros: string): string {
  if (!/^-?\d{1,19}$/.test(micros)) throw new Error('a cutoff is no whole number');
  return sql.replaceAll(cutoffMark, `CAST('${micros}' AS BIGINT)`);
}
