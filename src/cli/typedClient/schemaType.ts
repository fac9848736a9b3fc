import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';

/** The TypeScript type of 64-bit integers in rows. */
export type Int64Type = 'number' | 'bigint';

/** The TypeScript type of a parameter. */
export function parameterType(schema: JsonObject): string {
  if (schema.const !== undefined) return literal(schema.const);
  if (isJsonArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  switch (schema.type) {
    case 'integer':
      return 'number | bigint';
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array':
      return `readonly (${isJsonObject(schema.items) ? parameterType(schema.items) : 'string'})[]`;
    default:
      return schema.format === 'date-time' ? 'string | Date' : 'string';
  }
}

/** The TypeScript type of a value in a row. */
export function valueType(schema: JsonValue | undefined, int64: Int64Type): string {
  if (!isJsonObject(schema)) return 'JsonValue';
  if (isJsonArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (isFloat64(schema)) return isNullable(schema) ? 'number | null' : 'number';
  if (isJsonArray(schema.anyOf)) return [...new Set(schema.anyOf.map((form) => valueType(form, int64)))].join(' | ');
  if (schema.type === undefined) return 'JsonValue';
  const types = isJsonArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => typeOf(type, schema, int64)).join(' | ');
}

function typeOf(type: JsonValue, schema: JsonObject, int64: Int64Type): string {
  switch (type) {
    case 'null':
    case 'string':
    case 'boolean':
    case 'number':
      return type;
    case 'integer':
      return int64;
    case 'array':
      return `(${valueType(schema.items, int64)})[]`;
    case 'object': {
      const { properties } = schema;
      if (!isJsonObject(properties)) return 'Record<string, JsonValue>';
      const members = Object.entries(properties).map(([name, of]) => `${memberName(name)}: ${valueType(of, int64)}`);
      return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`;
    }
    default:
      return 'JsonValue';
  }
}

/** Paths of the 64-bit integers in a value: names of members, and `*` for each element of an array. */
export const int64Paths = (schema: JsonValue | undefined): Paths =>
  pathsOf(schema, (below) => typesOf(below).includes('integer'));

/** Like `int64Paths`, for the floating-point numbers. */
export const float64Paths = (schema: JsonValue | undefined): Paths => pathsOf(schema, isFloat64);

type Paths = readonly (readonly string[])[];

function pathsOf(schema: JsonValue | undefined, isWanted: (schema: JsonObject) => boolean): Paths {
  if (!isJsonObject(schema)) return [];
  if (isWanted(schema)) return [[]];
  if (typesOf(schema).includes('array')) return pathsOf(schema.items, isWanted).map((path) => ['*', ...path]);
  if (!isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, of]) =>
    pathsOf(of, isWanted).map((path) => [name, ...path]),
  );
}

const typesOf = ({ type }: JsonObject): readonly (JsonValue | undefined)[] => (isJsonArray(type) ? type : [type]);

/** A FLOAT64: a number, or the text of NaN or of an infinity. */
export const isFloat64 = ({ anyOf }: JsonObject): boolean =>
  isJsonArray(anyOf) && anyOf.some((form) => isJsonObject(form) && form.format === 'double');

/** Of a schema with forms. */
export const isNullable = ({ anyOf }: JsonObject): boolean =>
  isJsonArray(anyOf) && anyOf.some((form) => isJsonObject(form) && typesOf(form).includes('null'));

/** A member name as written in a type or an object literal. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}

function literal(value: JsonValue): string {
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
}
