import type { ExistingColumn } from '../../../sources/existingTable.ts';

/** A type of ClickHouse without `Nullable` and `LowCardinality`. */
export function plainType(type: string): string {
  const inner = /^(?:Nullable|LowCardinality)\((.*)\)$/s.exec(type)?.[1];
  return inner === undefined ? type : plainType(inner);
}

/** The name of a type without its parameters: `DateTime64` for `DateTime64(3, 'UTC')`. */
export const typeName = (type: string): string => /^[A-Za-z0-9]+/.exec(plainType(type))?.[0] ?? '';

/** Types that are read as the text that ClickHouse writes of them. */
const texts: ReadonlySet<string> = new Set([
  ...['String', 'FixedString', 'Enum8', 'Enum16', 'UUID', 'IPv4', 'IPv6', 'Date', 'Date32', 'DateTime', 'DateTime64'],
  // Beyond INT64 and FLOAT64. A text of digits is compared as a number where a number is wanted.
  ...['Decimal', 'Decimal32', 'Decimal64', 'Decimal128', 'Decimal256', 'Int128', 'Int256', 'UInt128', 'UInt256'],
]);
const wholes: ReadonlySet<string> = new Set(['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64']);
const floats: ReadonlySet<string> = new Set(['Float32', 'Float64', 'BFloat16']);

/** How a column of this type is read as a member of metadata; null if it is read only within metadata. */
export function memberKind(type: string): ExistingColumn['kind'] {
  const name = typeName(type);
  if (texts.has(name)) return 'string';
  if (wholes.has(name)) return 'int64';
  return floats.has(name) ? 'float64' : null;
}

/**
 * Types whose values name a project, or an ID. Not FixedString: its text ends at the first zero byte, so that two values can
 * have one text.
 */
export const isNameType = (type: string): boolean =>
  wholes.has(typeName(type)) || ['String', 'Enum8', 'Enum16', 'UUID'].includes(typeName(type));

export const isTextType = (type: string): boolean => ['String', 'FixedString'].includes(typeName(type));

/** A row without a time is no event. */
export const isTimeType = (type: string): boolean => /^DateTime(?:64)?(?:\(|$)/.test(type);

/** JSON objects: the type JSON, or their text. */
export const isJsonType = (type: string): boolean => ['JSON', 'String'].includes(typeName(type));
