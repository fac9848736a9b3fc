/** A JSON value. Integers that a number cannot hold are bigints, so that no digit is lost. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | { readonly [member: string]: Json };

/** Like JSON.parse, but integers beyond 2^53 become bigints. */
export function parseLossless(text: string): Json {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return hasSource() ? parseWithSource(text) : parseMarked(text);
}

type Reviver = (name: string, value: Json, context?: { readonly source?: string }) => Json;

/** Whether revivers get the text of a value (ECMAScript proposal JSON.parse source text access). */
function hasSource(): boolean {
  let found = false;
  const look: Reviver = (_name, value, context) => {
    found ||= context?.source !== undefined;
    return value;
  };
  JSON.parse('1', look);
  return found;
}

function parseWithSource(text: string): Json {
  const exact: Reviver = (_name, value, context) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
      ? BigInt(context?.source ?? 0)
      : value;
  return JSON.parse(text, exact);
}

/** For engines without it: such integers are marked as strings before they are parsed. */
export function parseMarked(text: string): Json {
  // Random for each text, so that no string in it can contain the mark.
  const mark = `int64:${crypto.getRandomValues(new Uint32Array(4)).join('-')}:`;
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (part) =>
    /^-?\d+$/.test(part) && !Number.isSafeInteger(Number(part)) ? JSON.stringify(mark + part) : part,
  );
  const exact: Reviver = (_name, value) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value;
  return JSON.parse(marked, exact);
}

/** JSON text of a value, indented. Bigints are written with all their digits. */
export function printJson(value: Json, indent = ''): string {
  if (typeof value === 'bigint') return String(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const deeper = `${indent}  `;
  if (isList(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((each) => deeper + printJson(each, deeper)).join(',\n')}\n${indent}]`;
  }
  const members = Object.entries(value);
  if (members.length === 0) return '{}';
  const lines = members.map(([name, each]) => `${deeper}${JSON.stringify(name)}: ${printJson(each, deeper)}`);
  return `{\n${lines.join(',\n')}\n${indent}}`;
}

/** A value as a text: nothing for null, a text as it is, JSON for the others. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : printJson(value);
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

export function isObject(value: Json | undefined): value is { readonly [member: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
