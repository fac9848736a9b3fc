import { isJsonArray, type JsonValue } from '../core/jsonValue.ts';
import { parseJson } from '../core/losslessJson.ts';
import { elementTypeOf, type ScalarValue } from '../googlesql/resolve/parameterValue.ts';
import type { Conversion } from './conversion.ts';
import type { ParameterDeclaration } from './parameterDeclaration.ts';

/** Most elements of an array parameter (contract, section 3, `max_items`). */
export const itemsMax = 1000;

/** The declaration that each element must satisfy; null if the parameter is not an array. */
export function elementDeclaration(declaration: ParameterDeclaration): ParameterDeclaration | null {
  const type = elementTypeOf(declaration.type);
  return type === null ? null : { ...declaration, type, required: false, default: null, example: null, maxItems: null };
}

/**
 * The elements of an array that is written as one text: a JSON array if it begins with `[`, otherwise separated by
 * commas. Null if it begins with `[` and is not a JSON array of strings, numbers and booleans.
 */
export function itemsIn(text: string): readonly string[] | null {
  if (!text.startsWith('[')) return text.split(',');
  let value: JsonValue;
  try {
    value = parseJson(text);
  } catch {
    return null;
  }
  if (!isJsonArray(value)) return null;
  const items = value.map(itemText);
  return items.every((item) => item !== null) ? items : null;
}

/** The inverse of `itemsIn`: a JSON array. */
export const itemsText = (items: readonly string[]): string => JSON.stringify(items);

function itemText(value: JsonValue): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number' ? String(value) : null;
}

/** Converts each element with `convert`, which takes the declaration of one element. */
export function convertItems(
  declaration: ParameterDeclaration,
  items: readonly string[] | null,
  convert: (element: ParameterDeclaration, text: string) => Conversion,
): Conversion {
  const bad = (problem: string): Conversion => ({ kind: 'bad', code: 'parameter.invalid', problem });
  const element = elementDeclaration(declaration);
  if (element === null) throw new Error(`the parameter ${declaration.name} is not an array`);
  if (items === null) return bad('must be a JSON array of strings, numbers or booleans if it begins with [');
  const most = declaration.maxItems ?? itemsMax;
  if (items.length > most) return bad(`must have at most ${most} elements; it has ${items.length}`);
  const elements: ScalarValue[] = [];
  for (const [index, text] of items.entries()) {
    if (text === '' && !declaration.allowEmpty)
      return bad(`must not have an empty element; element ${index + 1} is empty`);
    const converted = convert(element, text);
    if (converted.kind === 'bad') return { ...converted, element: { number: index + 1, text } };
    const { value } = converted;
    if (value.kind === 'null' || value.kind === 'array') throw new Error('an element is neither NULL nor an array');
    elements.push(value);
  }
  return { kind: 'ok', value: { kind: 'array', elements } };
}
