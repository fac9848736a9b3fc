import type { Read, TextReader } from './textReader.ts';

const quotedForm = /"((?:[^"\\]|\\[\s\S])*)"/y;

/**
 * Reads text in double quotes. `\"` and `\\` stand for the character after the backslash; any other backslash is kept, so
 * that regular expressions need no doubling.
 */
export function readQuoted(reader: TextReader, at: number): Read<string> | null {
  if (reader.text[at] !== '"') return null;
  const match = reader.match(quotedForm, at);
  if (match === null) return reader.fail(at, 'text with a closing quote');
  return { value: (match[1] ?? '').replaceAll(/\\(["\\])/g, '$1'), end: at + match[0].length };
}
