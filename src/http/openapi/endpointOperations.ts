import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import { typeName } from '../../googlesql/types.ts';
import type { DescribedEndpoint } from '../../invoke/describedEndpoints.ts';
import type { ValuesProfile } from '../../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import { allows } from '../../tokens/permission.ts';
import { streamRowsOf } from '../../tokens/restrictions.ts';
import { notModified, rowsAnswer } from './answerSchemas.ts';
import { codeSamples } from './codeSamples.ts';
import {
  type DescribedParameter,
  describedParameter,
  serviceParameters,
  takesCallerQueries,
} from './describedParameters.ts';
import type { ErrorResponses } from './errorResponses.ts';
import { exportBegun } from './exportOperations.ts';
import { callHeaders } from './headers.ts';
import { runErrors } from './runErrors.ts';
import { rowSchema } from './valueSchema.ts';

export interface EndpointOperationsInput {
  readonly described: DescribedEndpoint;
  /** Unique name of the operation (operationNames.ts). */
  readonly name: string;
  readonly token: Pick<AuthenticatedToken, 'scopes' | 'restrictions'>;
  readonly headerPrefix: string;
  /** The form of values if neither the call nor the definition chooses one. */
  readonly values: ValuesProfile;
  readonly errors: ErrorResponses;
  /** The errors that every call can get. */
  readonly commonErrors: readonly ErrorCode[];
}

export interface EndpointOperations {
  readonly path: string;
  /** Operations by method in lower case. */
  readonly operations: JsonObject;
  /** Schemas that the operations refer to, by name. */
  readonly schemas: JsonObject;
}

/** The tag of operations that call endpoints, apart from those that manage them. */
export const callsTag = 'calls';

/** The errors of a call of an endpoint, in addition to those of any request. */
export const callErrors: readonly ErrorCode[] = [
  'request.duplicate_key',
  'parameter.missing',
  'parameter.invalid',
  'parameter.duplicate',
  'parameter.too_long',
  'parameter.unknown',
  'page.cursor',
  'page.unorderable',
  'page.key_too_long',
  'page.unsupported',
  'stream.disabled',
  'stream.unsuitable',
  'stream.unsupported',
  'stream.http_version',
  'stream.busy',
  'stream.changed',
  'parameter.locked',
  'sql.data',
  'auth.project',
  'endpoint.unknown',
  'endpoint.version_unknown',
  'format.unsuitable',
  'format.unsupported',
  'cache.only_if_cached',
  'export.limit',
  'export.disk_full',
  'export.interrupted',
  'export.events_removed',
  'export.endpoint_changed',
  'export.unsupported',
  ...runErrors,
];

/** Further errors, if the call may contain a caller query. */
export const callerQueryErrors: readonly ErrorCode[] = [
  'query.both',
  'sql.syntax',
  'sql.unknown_name',
  'sql.ambiguous_name',
  'sql.type',
  'sql.unsupported',
  'sql.too_complex',
  'redaction.rows_max',
  'lql.syntax',
  'lql.table_missing',
  'sandbox.disabled',
  'auth.caller_query',
  'sandbox.table',
  'sandbox.statement',
  'sandbox.function',
];

/** GET and POST of one endpoint as this token may call it (contract, sections 1 to 4). */
export function endpointOperations(input: EndpointOperationsInput): EndpointOperations {
  const { described, name, token, headerPrefix, errors, commonErrors } = input;
  const { endpoint, description } = described;
  const isSandbox = takesCallerQueries(endpoint.sandbox, token.restrictions);
  const address = endpoint.primary ? endpoint.name : endpoint.id;
  const path = `/api/endpoints/query/${address}`;
  const schemas = rowSchemas(input);
  const declared = endpoint.parameters.map((parameter) =>
    describedParameter(parameter, token.restrictions, description?.projectParameters.has(parameter.name) ?? false),
  );
  const [table] = description?.tables ?? [];
  const parameters = [
    ...declared,
    ...serviceParameters(
      token.scopes,
      isSandbox,
      table === undefined ? undefined : `select count(*) from ${table.name}`,
      endpoint.parameters.map(({ name: parameter }) => parameter),
      Math.min(endpoint.maxRows, token.restrictions?.maxRows ?? endpoint.maxRows),
      endpoint.stream !== null,
    ),
  ];
  const responses = {
    '200': rowsAnswer(rowRefs(input, Object.keys(schemas)), rowsMaxOf(input), mayExplain(token)),
    '202': exportBegun,
    ...errors.refs([...commonErrors, ...callErrors, ...(isSandbox ? callerQueryErrors : [])]),
  };
  const shared = {
    tags: [callsTag],
    summary: endpoint.primary ? endpoint.name : `${endpoint.name} (${endpoint.id})`,
    description: textOf(input),
    'x-logmill-endpoint': {
      id: endpoint.id,
      name: endpoint.name,
      version: endpoint.version,
      primary: endpoint.primary,
      ...(description === null ? {} : { row: rowName(name) }),
      ...(description?.hasTail === true || isSandbox ? { tail: `/api/endpoints/tail/${address}` } : {}),
      ...(isSandbox && description !== null ? { tables: description.tables.map((each) => each.name) } : {}),
    },
  };
  const required = declared.filter(({ isRequired }) => isRequired);
  const query = required.map(({ name: parameter, example }) => [parameter, example.text] as const);
  const body = Object.fromEntries(required.map(({ name: parameter, example }) => [parameter, example.value]));
  const headers = callHeaders(headerPrefix, endpoint.cacheSeconds > 0);
  return {
    path,
    schemas,
    operations: {
      get: {
        ...shared,
        operationId: name,
        parameters: [...parameters.map(inUrl), ...headers],
        responses: { ...responses, '304': notModified },
        'x-codeSamples': codeSamples({ method: 'GET', path, needsToken: true, query }),
      },
      post: {
        ...shared,
        operationId: `${name}ByPost`,
        description: `The same as \`${name}\`, with parameters in the body. Use it for long values.`,
        parameters: headers.filter((header) => header.name !== 'If-None-Match'),
        requestBody: bodyOf(parameters, isStrict(input)),
        responses,
        'x-codeSamples': codeSamples({ method: 'POST', path, needsToken: true, query: [], body: writeJson(body) }),
      },
    },
  };
}

/** The name of the schema of a row in the profile `plain`. */
function rowName(operation: string): string {
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Row`;
}

/** The schema of a row, and a second one if the `records` profile writes rows differently. */
function rowSchemas({ described: { description }, name }: EndpointOperationsInput): JsonObject {
  if (description === null) return {};
  const plain = rowSchema(description.columns, 'plain');
  const records = rowSchema(description.columns, 'records');
  const differs = writeJson(plain) !== writeJson(records);
  return { [rowName(name)]: plain, ...(differs ? { [`${rowName(name)}Records`]: records } : {}) };
}

/** The schemas of a row. The first one applies to a call without extra headers and parameters. */
function rowRefs({ described, values, token }: EndpointOperationsInput, schemas: readonly string[]): JsonObject[] {
  const ordered = (described.endpoint.values ?? values) === 'records' ? schemas.toReversed() : schemas;
  const hasOthers =
    described.description === null ||
    takesCallerQueries(described.endpoint.sandbox, token.restrictions) ||
    allows(token.scopes, { kind: 'query:version' });
  return [...ordered, ...(hasOthers ? ['CallerRow'] : [])].map((schema) => ({
    $ref: `#/components/schemas/${schema}`,
  }));
}

function rowsMaxOf({ described: { endpoint, description }, token: { restrictions } }: EndpointOperationsInput): number {
  const ofDefinition =
    description === null || takesCallerQueries(endpoint.sandbox, restrictions) ? endpoint.maxRows : description.rowsMax;
  return Math.min(ofDefinition, restrictions?.maxRows ?? ofDefinition);
}

function streamRowsMaxOf({ described: { endpoint }, token: { restrictions } }: EndpointOperationsInput): number {
  const ofDefinition = endpoint.stream?.maxRows ?? 0;
  return Math.min(ofDefinition, streamRowsOf(restrictions) ?? ofDefinition);
}

function isStrict({ described: { endpoint }, token: { restrictions } }: EndpointOperationsInput): boolean {
  return endpoint.strictParameters || restrictions?.strictParameters === true;
}

function mayExplain({ scopes }: EndpointOperationsInput['token']): boolean {
  return allows(scopes, { kind: 'query:explain' });
}

/** The description of the endpoint, and behaviour that schemas cannot express. */
function textOf(input: EndpointOperationsInput): string {
  const { described, token } = input;
  const { endpoint, description } = described;
  const notes = [
    ...(endpoint.description === '' ? [] : [endpoint.description]),
    ...(endpoint.primary ? [] : [`Call it by its ID: another endpoint answers by the name ${endpoint.name}.`]),
    ...(endpoint.cacheSeconds === 0 ? [] : [`Rows may be up to ${endpoint.cacheSeconds} seconds old.`]),
    ...(endpoint.stream === null
      ? []
      : [
          `With \`stream=true\` it sends up to ${streamRowsMaxOf(input)} rows while they are computed, as NDJSON, CSV, TSV or Arrow. Streams of your own queries need the scope \`query:stream\`.`,
        ]),
    ...(endpoint.redactPii || token.restrictions?.redact === true ? ['Personal data is redacted.'] : []),
    ...(isStrict(input) ? ['Undeclared parameters are refused.'] : []),
    ...(description === null ? ['Its query does not compile in this version of the service, so calls fail.'] : []),
  ];
  const tables = takesCallerQueries(endpoint.sandbox, token.restrictions) ? (description?.tables ?? []) : [];
  const listed = tables.map(
    (table) => `- \`${table.name}\`: ${table.columns.map(({ name, type }) => `${name} ${typeName(type)}`).join(', ')}`,
  );
  const ofTables = listed.length === 0 ? [] : [`Tables for \`sql\` and \`lql\`:\n\n${listed.join('\n')}`];
  return [notes.join(' '), ...ofTables].filter((part) => part !== '').join('\n\n');
}

function inUrl({ name, description, schema, isRequired }: DescribedParameter): JsonObject {
  return { name, in: 'query', required: isRequired, description, schema };
}

/** The request body: parameters as a JSON object or as a form. */
function bodyOf(parameters: readonly DescribedParameter[], refusesOthers: boolean): JsonObject {
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema: ofValue }) => [name, { ...ofValue, description }]),
    ),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: !refusesOthers,
  };
  return {
    required: required.length > 0,
    description: 'You can also put parameters in the URL, but each one in only one of the two places.',
    content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
  };
}
