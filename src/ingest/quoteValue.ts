import { isJsonArray, type JsonValue } from '../core/jsonValue.ts';

const charactersMax = 60;

/** Quotes a value in a message to its sender: short values as JSON, long ones cut, containers by kind. */
export function quoteValue(value: JsonValue): string {
  if (isJsonArray(value)) return '(an array)';
  if (typeof value === 'object' && value !== null) return '(an object)';
  if (typeof value !== 'string') return String(value);
  const characters = [...value.slice(0, 4 * charactersMax)];
  if (characters.length <= charactersMax) return JSON.stringify(value);
  return `${JSON.stringify(characters.slice(0, charactersMax).join(''))}… (${value.length} characters)`;
}

const cutText = /"(?:[^"\\]|\\.)*"… \((\d+ characters)\)/g;

/** A message without the texts that `quoteValue` cut: redaction does not recognise half an address. */
export function withoutCutTexts(message: string): string {
  return message.replaceAll(cutText, 'a text of $1');
}
