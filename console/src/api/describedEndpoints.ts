import { isList, isObject, type Json, textOf } from './losslessJson.ts';

/** An endpoint that the token may call, as the OpenAPI document describes it. */
export interface DescribedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly isPrimary: boolean;
  readonly version: number;
  readonly description: string;
  /** Path of a call: by name, or by id if another endpoint answers by the name. */
  readonly path: string;
  /** Tables of the caller's own queries; empty if it takes none. */
  readonly tables: readonly string[];
  readonly parameters: readonly DescribedParameter[];
  /** The most rows of a page; null if the endpoint has no pages. */
  readonly pageRowsMax: number | null;
}

export interface DescribedParameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly schema: { readonly [member: string]: Json };
}

/** The only values that a call may have for a parameter; null if it may have others. */
export function valuesOf({ schema }: DescribedParameter): readonly string[] | null {
  if (schema.const !== undefined) return [textOf(schema.const)];
  return isList(schema.enum) ? schema.enum.map(textOf) : null;
}

/** The endpoint of an id, or the one that answers by a name. */
export const endpointOf = (endpoints: readonly DescribedEndpoint[], idOrName: string): DescribedEndpoint | undefined =>
  endpoints.find(({ id, name, isPrimary }) => id === idOrName || (name === idOrName && isPrimary));

/** Its name, with the beginning of its ID if another endpoint answers by the name. */
export const titleOf = ({ id, name, isPrimary }: DescribedEndpoint): string =>
  isPrimary ? name : `${name} (${id.slice(0, 8)})`;

/** What the token may do: the operations of its document, and its endpoints by name. */
export interface Described {
  readonly version: string;
  readonly operations: ReadonlySet<string>;
  readonly endpoints: readonly DescribedEndpoint[];
  /** The formats that rows can have. */
  readonly formats: readonly string[];
}

const reserved = new Set(['sql', 'lql', 'format', 'version', 'dry_run']);

export function readDescription(document: Json): Described {
  const { paths, info } = isObject(document) ? document : {};
  const operations = new Set<string>();
  const endpoints: DescribedEndpoint[] = [];
  let formats: readonly string[] = [];
  for (const [path, methods] of Object.entries(isObject(paths) ? paths : {})) {
    for (const [method, operation] of Object.entries(isObject(methods) ? methods : {})) {
      if (!isObject(operation)) continue;
      if (typeof operation.operationId === 'string') operations.add(operation.operationId);
      const endpoint = operation['x-logmill-endpoint'];
      if (method !== 'get' || !isObject(endpoint)) continue;
      endpoints.push(readEndpoint(path, operation, endpoint));
      formats = formatsOf(operation);
    }
  }
  const version = isObject(info) && typeof info.version === 'string' ? info.version : '';
  return { version, operations, formats, endpoints: endpoints.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

function formatsOf({ parameters }: JsonObject): readonly string[] {
  const format = (isList(parameters) ? parameters : []).filter(isObject).find(({ name }) => name === 'format');
  const schema = isObject(format?.schema) ? format.schema : {};
  return isList(schema.enum) ? schema.enum.map(textOf) : [];
}

/** Whether a parameter is one of the service's own whose name an endpoint may declare itself. */
function isOption(schema: Json | undefined): boolean {
  return isObject(schema) && (schema['x-logmill-option'] === true || schema['x-logmill-page'] === true);
}

/** A parameter that an endpoint declares itself has nothing to do with pages. */
function pageRowsMaxOf(schema: Json | undefined): number | null {
  const isOwn = isObject(schema) && schema['x-logmill-page'] === true;
  return isOwn && typeof schema.maximum === 'number' ? schema.maximum : null;
}

type JsonObject = { readonly [member: string]: Json };

function readEndpoint(path: string, operation: JsonObject, endpoint: JsonObject): DescribedEndpoint {
  const parameters = isList(operation.parameters) ? operation.parameters : [];
  const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
  const inUrl = parameters.filter(isObject).filter((each) => each.in === 'query');
  const [description = ''] = text(operation.description).split('\n\nTables for');
  return {
    id: text(endpoint.id),
    name: text(endpoint.name),
    isPrimary: endpoint.primary !== false,
    version: Number(endpoint.version ?? 0),
    description,
    path,
    tables: (isList(endpoint.tables) ? endpoint.tables : []).map(text),
    pageRowsMax: pageRowsMaxOf(inUrl.find(({ name }) => name === 'page_size')?.schema),
    parameters: inUrl
      .filter((each) => !reserved.has(text(each.name)) && !isOption(each.schema))
      .map((each) => ({
        name: text(each.name),
        description: text(each.description),
        isRequired: each.required === true,
        schema: isObject(each.schema) ? each.schema : {},
      })),
  };
}
