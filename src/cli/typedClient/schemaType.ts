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
export function int64Paths(schema: JsonValue | undefined): readonly (readonly string[])[] {
  if (!isJsonObject(schema)) return [];
  const types = isJsonArray(schema.type) ? schema.type : [schema.type];
  if (types.includes('integer')) return [[]];
  if (types.includes('array')) return int64Paths(schema.items).map((path) => ['*', ...path]);
  if (!isJsonObject(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, of]) => int64Paths(of).map((path) => [name, ...path]));
}

/** A member name as written in a type or an object literal. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : JSON.stringify(name);
}

function literal(value: JsonValue): string {
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value);
}
