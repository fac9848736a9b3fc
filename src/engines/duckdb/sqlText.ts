/** A name as a quoted identifier. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Writes text as a DuckDB string literal: only quotes are special, and are doubled. NUL would end the statement's text
 * on its way to the engine, so it is written as chr(0).
 */
export function quoteText(text: string): string {
  if (!text.includes('\u0000')) return `'${text.replaceAll("'", "''")}'`;
  return `(${text
    .split('\u0000')
    .map((part) => `'${part.replaceAll("'", "''")}'`)
    .join(' || chr(0) || ')})`;
}
