import type { ClientEndpoint } from './readEndpoints.ts';
import { clientRuntime, int64Readers } from './runtime.ts';
import { type Int64Type, int64Paths, memberName, parameterType, valueType } from './schemaType.ts';

export interface ClientInput {
  /** Of the service that described itself. */
  readonly version: string;
  readonly endpoints: readonly ClientEndpoint[];
  readonly headerPrefix: string;
  readonly int64: Int64Type;
}

/** A TypeScript module: a class with a method for each endpoint, with types of its parameters and rows. */
export function renderClient({ version, endpoints, headerPrefix, int64 }: ClientInput): string {
  const withQueries = endpoints.filter(({ takesQueries }) => takesQueries);
  const parts = [
    `// Made by "logmill client --lang ts" from the description of Logmill ${version}. Make it anew where endpoints change.`,
    `const headerPrefix = ${JSON.stringify(headerPrefix)};`,
    clientRuntime,
    int64Readers[int64],
    ...endpoints.flatMap((endpoint) => [parametersOf(endpoint), rowOf(endpoint, int64)]),
    ...(withQueries.length === 0 ? [] : [queriesOf(withQueries)]),
    [
      '/** The endpoints that the token may call, with which this client was made. */',
      'export class LogmillClient {',
      '  readonly #service: LogmillOptions;',
      '',
      '  constructor(service: LogmillOptions) {',
      '    this.#service = service;',
      '  }',
      ...endpoints.flatMap((endpoint) => ['', methodOf(endpoint)]),
      ...(withQueries.length === 0 ? [] : ['', queryMethod]),
      '}',
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

const queryMethod = `  /** Runs a query of your own over the tables of an endpoint. What its rows hold is for you to say. */
  query<Name extends keyof OwnQueryParameters, Row = Record<string, JsonValue>>(
    endpoint: Name,
    query: OwnQuery,
    parameters: OwnQueryParameters[Name],
    options: CallOptions = {},
  ): Promise<Answer<Row>> {
    return callEndpoint(this.#service, ownQueryPaths[endpoint], { ...parameters, ...query }, options, []);
  }`;

function queriesOf(endpoints: readonly ClientEndpoint[]): string {
  return [
    '/** Parameters of the endpoints that take queries of your own. */',
    'export interface OwnQueryParameters {',
    ...endpoints.map((endpoint) => `  ${endpoint.method}: ${typeName(endpoint)}Parameters;`),
    '}',
    '',
    'const ownQueryPaths: Readonly<Record<keyof OwnQueryParameters, string>> = {',
    ...endpoints.map(({ method, path }) => `  ${method}: ${JSON.stringify(path)},`),
    '};',
  ].join('\n');
}

function parametersOf(endpoint: ClientEndpoint): string {
  const members = endpoint.parameters.flatMap(({ name, description, isRequired, schema }) => [
    ...comment(description, '  '),
    `  readonly ${memberName(name)}${isRequired ? '' : '?'}: ${parameterType(schema)}${isRequired ? '' : ' | undefined'};`,
  ]);
  if (members.length === 0) return `export type ${typeName(endpoint)}Parameters = Readonly<Record<string, never>>;`;
  return [`export interface ${typeName(endpoint)}Parameters {`, ...members, '}'].join('\n');
}

function rowOf(endpoint: ClientEndpoint, int64: Int64Type): string {
  const row = endpoint.row === null ? 'Record<string, JsonValue>' : valueType(endpoint.row, int64);
  return `export type ${typeName(endpoint)}Row = ${row};`;
}

function methodOf(endpoint: ClientEndpoint): string {
  const { method, path, description, parameters, row } = endpoint;
  const preset = parameters.some(({ isRequired }) => isRequired) ? '' : ' = {}';
  return [
    ...comment(description, '  '),
    `  ${method}(parameters: ${typeName(endpoint)}Parameters${preset}, options: CallOptions = {}): Promise<Answer<${typeName(endpoint)}Row>> {`,
    `    return callEndpoint(this.#service, ${JSON.stringify(path)}, parameters, options, ${JSON.stringify(int64Paths(row ?? undefined))});`,
    '  }',
  ].join('\n');
}

function typeName({ method }: ClientEndpoint): string {
  return method.charAt(0).toUpperCase() + method.slice(1);
}

/** The text as a comment that it cannot end. */
function comment(text: string, indent: string): readonly string[] {
  if (text === '') return [];
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  const [only = ''] = lines;
  if (lines.length === 1) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}
