import { isList, isObject, type Json, printJson } from '../api/losslessJson.ts';
import type { RowsAnswer } from '../api/rowsProtocol.ts';

/** The rows as CSV: texts in quotes, so that an empty text differs from no value, and all digits of numbers. */
export function csvOf({ rows, meta }: Pick<RowsAnswer, 'rows' | 'meta'>): string {
  const names = meta.columns.map(({ name }) => name);
  const lines = rows.map((row) => names.map((name) => csvField(row[name])).join(','));
  return `${[names.map(quoted).join(','), ...lines].join('\r\n')}\r\n`;
}

function csvField(value: Json | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return quoted(value);
  return isObject(value) || isList(value) ? quoted(printJson(value)) : String(value);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Saves a text as a file. */
export function saveAs(name: string, type: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // After the browser has begun to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
