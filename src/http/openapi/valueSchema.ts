import { assertNever } from '../../core/assertNever.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../core/jsonValue.ts';
import { memberNames } from '../../googlesql/memberNames.ts';
import type { SqlType } from '../../googlesql/types.ts';
import type { ValuesProfile } from '../../ports/queryEngine.ts';

export interface SchemaColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly isNeverNull: boolean;
}

/** JSON Schema of one row with these columns. Every member is required. It may be null unless the column never is. */
export function rowSchema(columns: readonly SchemaColumn[], profile: ValuesProfile): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(
      columns.map(({ name, type, isNeverNull }) => {
        const schema = valueSchema(type, profile);
        return [name, isNeverNull ? withoutNull(schema) : schema];
      }),
    ),
    required: columns.map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Position of a value: the `records` profile wraps an object inside an object in an array. */
type Place = 'column' | 'element' | 'member';

/** JSON Schema (2020-12) of a value of the type in an answer (contract, section 1, "Values"). */
export function valueSchema(type: SqlType, profile: ValuesProfile, place: Place = 'column'): JsonObject {
  switch (type.kind) {
    case 'STRING':
      return text();
    case 'BOOL':
      return { type: ['boolean', 'null'] };
    case 'INT64':
      return { type: ['integer', 'null'], format: 'int64' };
    case 'FLOAT64':
      return { anyOf: [{ type: ['number', 'null'], format: 'double' }, { enum: ['NaN', 'Infinity', '-Infinity'] }] };
    case 'TIMESTAMP':
      return profile === 'records'
        ? { type: ['integer', 'null'], format: 'int64', description: 'Microseconds since 1970, UTC.' }
        : text({ format: 'date-time' });
    case 'DATETIME':
      return text({ description: 'A date and time without a zone, such as 2026-05-01T10:00:30.' });
    case 'DATE':
      return text({ format: 'date' });
    case 'TIME':
      return text({ description: 'A time of day, such as 10:00:30.' });
    case 'INTERVAL':
      return text({ description: 'A span of time, such as 0-0 1 2:0:0.' });
    case 'BYTES':
      return text({ contentEncoding: 'base64' });
    case 'JSON':
      return { description: 'A nested value, of any JSON type.' };
    case 'NULL':
      return { type: 'null' };
    case 'ARRAY':
      return { type: ['array', 'null'], items: valueSchema(type.element, profile, 'element') };
    case 'STRUCT': {
      const names = memberNames(type.fields);
      const fields = type.fields.map((field, i) => ({ ...field, name: names[i] ?? field.name }));
      const object: JsonObject = {
        properties: Object.fromEntries(
          fields.map(({ name, type: ofField }) => [name, valueSchema(ofField, profile, 'member')]),
        ),
        required: names,
      };
      if (profile === 'plain' || place !== 'member') return { type: ['object', 'null'], ...object };
      return { type: ['array', 'null'], items: { type: 'object', ...object }, minItems: 1, maxItems: 1 };
    }
    default:
      return assertNever(type);
  }
}

/** The schema without the type null. */
function withoutNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema;
  if (isJsonArray(anyOf))
    return { ...schema, anyOf: anyOf.map((form) => (isJsonObject(form) ? withoutNull(form) : form)) };
  if (!isJsonArray(type)) return schema;
  const [only, ...others] = type.filter((each) => each !== 'null');
  return { ...schema, type: only === undefined || others.length > 0 ? type : only };
}

function text(more: Readonly<Record<string, JsonValue>> = {}): JsonObject {
  return { type: ['string', 'null'], ...more };
}
