import type { ScalarTypeName } from '../types.ts';
import { type DatePartGroup, dateParts } from './dateParts.ts';
import type { Argument, FunctionDeclaration, FunctionKind, Signature, SignatureType } from './signature.ts';

type Extras = Pick<FunctionDeclaration, 'isVolatile' | 'modifiers' | 'windowable' | 'grows'>;
type Declared<N extends string> = FunctionDeclaration & { readonly name: N };

/** Declares a scalar function. Signatures are in the notation of `readSignature`. */
export function scalar<const N extends string>(
  name: N,
  signatures: readonly string[],
  meaning: string,
  example: string,
  extras: Extras = {},
): Declared<N> {
  return declare('scalar', name, signatures, meaning, example, extras);
}

/** Declares an aggregate function, usable as a window function unless `windowable` is false. */
export function aggregate<const N extends string>(
  name: N,
  signatures: readonly string[],
  meaning: string,
  example: string,
  extras: Extras = {},
): Declared<N> {
  return declare('aggregate', name, signatures, meaning, example, extras);
}

/** Declares a function that requires OVER. */
export function windowOnly<const N extends string>(
  name: N,
  signatures: readonly string[],
  meaning: string,
  example: string,
  extras: Extras = {},
): Declared<N> {
  return declare('window', name, signatures, meaning, example, extras);
}

function declare<const N extends string>(
  kind: FunctionKind,
  name: N,
  signatures: readonly string[],
  meaning: string,
  example: string,
  extras: Extras,
): Declared<N> {
  return Object.freeze({ name, kind, signatures: signatures.map(readSignature), meaning, example, ...extras });
}

/**
 * Parses `value STRING, length? INT64 => STRING`. An argument name may be followed by `?` (optional), `*` (repeated), `!`
 * (constant) and `=` (given by its name). Types are scalar names, T, U, NUMBER, ANY, ARRAY<…>, STRUCT<name TYPE, …> and `PART.<group of parts>`.
 */
export function readSignature(text: string): Signature {
  const [left, right, ...rest] = text.split(' => ');
  if (left === undefined || right === undefined || rest.length > 0)
    throw new Error(`signature without one =>: ${text}`);
  return { args: left === '' ? [] : splitTopLevel(left).map(readArgument), returns: readType(right) };
}

function readArgument(text: string): Argument {
  const match = /^(\w+)([?*!=]*) (.+)$/.exec(text);
  const [, name, marks, type] = match ?? [];
  if (name === undefined || marks === undefined || type === undefined) throw new Error(`not an argument: ${text}`);
  const part = /^PART\.(\w+)$/.exec(type)?.[1];
  if (part !== undefined && !isPartGroup(part)) throw new Error(`not a group of parts: ${text}`);
  return {
    name,
    type: part === undefined ? readType(type) : 'PART',
    ...(marks.includes('?') && { optional: true as const }),
    ...(marks.includes('*') && { repeated: true as const }),
    ...(marks.includes('!') && { constant: true as const }),
    ...(marks.includes('=') && { named: true as const }),
    ...(part !== undefined && { parts: dateParts[part] }),
  };
}

const isPartGroup = (name: string): name is DatePartGroup => Object.hasOwn(dateParts, name);

const plainTypes: Record<ScalarTypeName | 'T' | 'U' | 'NUMBER' | 'ANY', true> = {
  INT64: true,
  FLOAT64: true,
  BOOL: true,
  STRING: true,
  BYTES: true,
  TIMESTAMP: true,
  DATETIME: true,
  DATE: true,
  TIME: true,
  INTERVAL: true,
  JSON: true,
  T: true,
  U: true,
  NUMBER: true,
  ANY: true,
};

const isPlainType = (text: string): text is keyof typeof plainTypes => Object.hasOwn(plainTypes, text);

function readType(text: string): SignatureType {
  if (isPlainType(text)) return text;
  const element = /^ARRAY<(.+)>$/.exec(text)?.[1];
  if (element !== undefined) return { arrayOf: readType(element) };
  const fields = /^STRUCT<(.+)>$/.exec(text)?.[1];
  if (fields === undefined) throw new Error(`not a signature type: ${text}`);
  return {
    structOf: splitTopLevel(fields).map((field) => {
      const [name, type] = field.split(' ', 2);
      if (name === undefined || type === undefined) throw new Error(`not a field: ${field}`);
      return { name, type: readType(type) };
    }),
  };
}

function splitTopLevel(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '<') depth++;
    if (text[i] === '>') depth--;
    if (text[i] === ',' && depth === 0) {
      parts.push(text.slice(start, i).trim());
      start = i + 1;
    }
  }
  parts.push(text.slice(start).trim());
  return parts;
}
