import { Pause } from '../../src/core/concurrency/turns.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../src/core/jsonValue.ts';
import { apiDocument } from '../../src/http/openapi/document.ts';
import { allRoutes } from '../../src/http/routes/allRoutes.ts';
import { parseScope } from '../../src/tokens/scope.ts';

/**
 * The types of the API for the console, from the OpenAPI document of a service without endpoints: each component, and
 * `Answers`, the body of each operation's answer by its name.
 */
export async function consoleTypes(): Promise<string> {
  const scopes = ['query', 'ingest', 'observe', 'manage'].map(parseScope);
  const document: JsonObject = JSON.parse(
    String(
      await apiDocument({
        routes: allRoutes,
        endpoints: [],
        isCut: false,
        token: { scopes, restrictions: null },
        headerPrefix: 'SVC',
        values: 'plain',
        version: '0',
        pause: new Pause(),
      }),
    ),
  );
  const { components, paths } = document;
  const schemas = isJsonObject(components) && isJsonObject(components.schemas) ? components.schemas : {};
  const declarations = Object.entries(schemas).map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`);
  const answers = Object.values(isJsonObject(paths) ? paths : {})
    .flatMap((operations) => Object.values(isJsonObject(operations) ? operations : {}))
    .flatMap(answerOf);
  return [
    '// Made by "npm run docs" from the OpenAPI document. Change the schemas in src/http/openapi, not this file.',
    "import type { Json } from './losslessJson.ts';",
    '',
    ...declarations,
    '',
    '/** The body of the answer to each operation. */',
    'export interface Answers {',
    ...answers.sort(),
    '}',
    '',
  ].join('\n');
}

/** One member of `Answers`, for an operation that answers with JSON. */
function answerOf(operation: JsonValue): readonly string[] {
  if (!isJsonObject(operation) || typeof operation.operationId !== 'string' || !isJsonObject(operation.responses)) {
    return [];
  }
  const success = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
  const content = isJsonObject(success) && isJsonObject(success.content) ? success.content['application/json'] : null;
  if (!isJsonObject(content)) return [];
  return [`  readonly ${JSON.stringify(operation.operationId)}: ${typeOf(content.schema)};`];
}

/** The TypeScript type of the values that a schema admits, or a wider one. */
function typeOf(schema: JsonValue | undefined): string {
  if (!isJsonObject(schema)) return 'Json';
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'Json';
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (isJsonArray(schema.enum)) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (isJsonArray(schema.allOf)) return schema.allOf.map((each) => `(${typeOf(each)})`).join(' & ');
  const either = schema.anyOf ?? schema.oneOf;
  if (isJsonArray(either)) return union(either.map(typeOf));
  const types = isJsonArray(schema.type) ? schema.type : [schema.type];
  return union(types.map((type) => typeNamed(type, schema)));
}

function typeNamed(type: JsonValue | undefined, schema: JsonObject): string {
  switch (type) {
    case 'null':
    case 'string':
    case 'boolean':
    case 'number':
      return type;
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items)})[]`;
    case 'object':
      return objectType(schema);
    default:
      return 'Json';
  }
}

function objectType({ properties, required, additionalProperties }: JsonObject): string {
  if (!isJsonObject(properties)) {
    return `{ readonly [name: string]: ${isJsonObject(additionalProperties) ? typeOf(additionalProperties) : 'Json'} }`;
  }
  const needed = new Set(isJsonArray(required) ? required : []);
  const members = Object.entries(properties).map(
    ([name, of]) =>
      `readonly ${JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${typeOf(of)}${needed.has(name) ? '' : ' | undefined'}`,
  );
  return `{ ${members.join('; ')} }`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}
