import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';

// Parts of JSON Schemas that many descriptions share.

export const text: JsonObject = { type: 'string' };
export const flag: JsonObject = { type: 'boolean' };
export const count: JsonObject = { type: 'integer', minimum: 0 };
export const instant: JsonObject = { type: 'string', format: 'date-time' };
export const uuid: JsonObject = { type: 'string', format: 'uuid' };

/** An object whose members are all required, except the optional ones. */
export function object(properties: Readonly<Record<string, JsonValue>>, optional: readonly string[] = []): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
  };
}

export function list(items: JsonObject): JsonObject {
  return { type: 'array', items };
}

/** The schema, or null. */
export function orNull(schema: JsonObject): JsonObject {
  return { anyOf: [schema, { type: 'null' }] };
}

export function schemaRef(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** One page of a list, and the cursor of the next. */
export function page(items: JsonObject): JsonObject {
  return object({ result: list(items), next: { type: ['string', 'null'] } });
}

export function inUrl(name: string, description: string, schema: JsonObject = text): JsonObject {
  return { name, in: 'query', description, schema };
}

export function inHeader(name: string, description: string): JsonObject {
  return { name, in: 'header', description, schema: text };
}

/** For operations whose answer has an entity tag. */
export const ifNoneMatch = inHeader(
  'If-None-Match',
  'Entity tags that the client has. If one is current, the answer is a 304.',
);
