import type { Answers } from '../api/types.ts';

export type ReadTable = Answers['endpoints.fields']['tables'][number];

/** Rows from which a query without a limit of time waits for a second word. */
export const manyRows = 5_000_000;

/** The tables that a text names, or the first one. */
export function tablesIn(text: string, tables: readonly string[]): readonly string[] {
  const named = tables.filter((table) => hasWord(text, table));
  return named.length === 0 ? tables.slice(0, 1) : named;
}

/** Whether a name stands in a text on its own. Names can have any characters, so it is no pattern. */
function hasWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = `${text[at - 1] ?? ' '}${text[at + name.length] ?? ' '}`;
    if (!/\w/.test(around)) return true;
  }
  return false;
}

/** Whether a query limits the time of what it reads: a guess from its words, for a warning only. */
function hasTimes(text: string, language: 'sql' | 'lql'): boolean {
  return language === 'lql' ? /(^|\s)t:/.test(text) : /\bwhere\b[^;]*\btimestamp\b/i.test(text);
}

/** The rows that a query may have to read, if they are many and it does not limit their time. */
export function largeRead(text: string, language: 'sql' | 'lql', tables: readonly ReadTable[]): number | null {
  if (hasTimes(text, language)) return null;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return rows >= manyRows ? rows : null;
}
