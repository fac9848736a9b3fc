import * as z from 'zod';
import type { JsonObject, JsonValue } from '../../core/jsonValue.ts';
import { isReservedParameterName } from '../../endpoints/parameterDeclaration.ts';

/** The parts of an endpoint's API description that a client needs. */
export interface ClientEndpoint {
  /** Name of the method: a unique identifier. */
  readonly method: string;
  readonly path: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description: string;
    readonly isRequired: boolean;
    readonly schema: JsonObject;
  }[];
  /** JSON Schema of a row in the profile `plain`; null if the service does not know it. */
  readonly row: JsonObject | null;
  /** Whether it accepts caller queries. */
  readonly takesQueries: boolean;
  /** Whether it streams its rows. */
  readonly streams: boolean;
  readonly hasPages: boolean;
  /** Path of its tail; null if it has none. */
  readonly tailPath: string | null;
}

const schemaOf = z.record(z.string(), z.custom<JsonValue>());

const operation = z.object({
  operationId: z.string().regex(/^[A-Za-z][A-Za-z0-9]*$/),
  description: z.string().default(''),
  parameters: z.array(
    z.object({
      name: z.string(),
      in: z.string(),
      description: z.string().default(''),
      required: z.boolean().default(false),
      schema: schemaOf,
    }),
  ),
  'x-logmill-endpoint': z.object({ row: z.string().optional(), tail: z.string().optional() }),
});

const documentSchema = z.object({
  openapi: z.string().startsWith('3.1'),
  info: z.object({ version: z.string(), 'x-logmill-header-prefix': z.string() }),
  paths: z.record(z.string(), z.object({ get: z.unknown().optional() })),
  components: z.object({ schemas: z.record(z.string(), schemaOf) }),
});

/** Whether a parameter is one of the service whose name endpoints may use too. */
const isOption = (schema: JsonObject): boolean =>
  schema['x-logmill-option'] === true || schema['x-logmill-page'] === true;

/** Reads the endpoints of a description (`/openapi.json`), sorted by method, and what they share. */
export function readEndpoints(document: JsonValue): {
  readonly version: string;
  readonly headerPrefix: string;
  readonly endpoints: readonly ClientEndpoint[];
} {
  const { paths, components, info } = documentSchema.parse(document);
  const endpoints = Object.entries(paths).flatMap(([path, { get }]): ClientEndpoint[] => {
    if (typeof get !== 'object' || get === null || !('x-logmill-endpoint' in get)) return [];
    const read = operation.parse(get);
    const inUrl = read.parameters.filter((parameter) => parameter.in === 'query');
    const row = read['x-logmill-endpoint'].row?.split('/').at(-1);
    return [
      {
        method: read.operationId,
        path,
        description: read.description,
        parameters: inUrl
          .filter(({ name, schema }) => !isReservedParameterName(name) && !isOption(schema))
          .map(({ name, description, required, schema }) => ({ name, description, isRequired: required, schema })),
        row: row === undefined ? null : (components.schemas[row] ?? null),
        takesQueries: inUrl.some(({ name }) => name === 'sql'),
        streams: inUrl.some(({ name, schema }) => name === 'stream' && schema['x-logmill-option'] === true),
        hasPages: inUrl.some(({ schema }) => schema['x-logmill-page'] === true),
        tailPath: read['x-logmill-endpoint'].tail ?? null,
      },
    ];
  });
  const headerPrefix = info['x-logmill-header-prefix'];
  return { version: info.version, headerPrefix, endpoints: endpoints.sort((a, b) => (a.method < b.method ? -1 : 1)) };
}
