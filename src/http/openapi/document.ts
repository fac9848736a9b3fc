import type { Pause } from '../../core/concurrency/turns.ts';
import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { writeJson } from '../../core/writeJson.ts';
import type { DescribedEndpoint } from '../../invoke/describedEndpoints.ts';
import type { ValuesProfile } from '../../ports/queryEngine.ts';
import type { AuthenticatedToken } from '../../tokens/authenticator.ts';
import type { HttpMethod, Route } from '../route.ts';
import { consoleHeaderName } from '../session/ownPage.ts';
import { sessionCookieName } from '../session/sessionCookie.ts';
import { answerSchemas, headerRefs, notModified, rowsAnswer } from './answerSchemas.ts';
import { codeSamples } from './codeSamples.ts';
import { serviceParameters, takesCallerQueries } from './describedParameters.ts';
import { callErrors, callerQueryErrors, callsTag, endpointOperations } from './endpointOperations.ts';
import { ErrorResponses, exportStatusSchema, problemSchema } from './errorResponses.ts';
import { exportBegun } from './exportOperations.ts';
import { callHeaders, headerComponents } from './headers.ts';
import type { OperationDescription } from './operationDescription.ts';
import { commonErrors, operationDescriptions, operationSchemas } from './operationDescriptions.ts';
import { operationNames } from './operationNames.ts';
import { ifNoneMatch } from './schemaParts.ts';

export interface ApiDocumentInput {
  /** The routes that the token may use. */
  readonly routes: readonly Route[];
  /** The endpoints that the token may call. */
  readonly endpoints: readonly DescribedEndpoint[];
  /** Whether `endpoints` leaves some out. */
  readonly isCut: boolean;
  readonly token: Pick<AuthenticatedToken, 'scopes' | 'restrictions'>;
  readonly headerPrefix: string;
  /** The form of values if neither the call nor the definition chooses one. */
  readonly values: ValuesProfile;
  /** Version of the service. */
  readonly version: string;
  readonly pause: Pause;
}

const anyCall = 'endpoints.query';

/**
 * The description of the API in OpenAPI 3.1, as JSON text: an operation for each endpoint, and for each route
 * and method. It can yield before each endpoint, because there can be many, and before each route, because the first
 * description takes some 50 ms until its code is compiled.
 */
export async function apiDocument(input: ApiDocumentInput): Promise<Buffer> {
  const { routes, endpoints, version, pause } = input;
  const errors = new ErrorResponses();
  const paths: string[] = [];
  const schemas = members({
    Problem: problemSchema,
    ExportStatus: exportStatusSchema,
    ...answerSchemas,
    ...operationSchemas,
  });
  const callRoute = routes.find(({ operation }) => operation === anyCall);
  await pause.takeIfOver();
  const names = operationNames(endpoints.map(({ endpoint }) => endpoint));
  for (const described of callRoute === undefined ? [] : endpoints) {
    await pause.takeIfOver();
    const operations = endpointOperations({
      ...input,
      described,
      name: names.get(described.endpoint.id) ?? described.endpoint.id,
      errors,
      commonErrors: callRoute === undefined ? [] : commonErrors(callRoute, 'POST'),
    });
    paths.push(...members({ [operations.path]: operations.operations }));
    schemas.push(...members(operations.schemas));
  }
  paths.push(...(await routePaths(input, errors)));
  await pause.takeIfOver();
  const head = members({
    openapi: '3.1.1',
    info: {
      title: 'Logmill',
      version,
      description: infoText(input),
      'x-logmill-header-prefix': input.headerPrefix,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { bearer: [] }, { session: [] }],
    tags: tagsOf(routes),
  });
  const components = members({
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
      bearer: { type: 'http', scheme: 'bearer' },
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: sessionCookieName,
        description: `The session of the console. Each call with it needs the header \`${consoleHeaderName}: 1\`.`,
      },
    },
    headers: headerComponents(),
    responses: errors.components,
  });
  const parts = [
    ...head,
    `"paths":{${paths.join(',')}}`,
    `"components":{${[...components, `"schemas":{${schemas.join(',')}}`].join(',')}}`,
  ];
  return Buffer.from(`{${parts.join(',')}}`);
}

/** Each member of an object as JSON text. */
function members(object: JsonObject): string[] {
  return Object.entries(object).map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`);
}

async function routePaths(input: ApiDocumentInput, errors: ErrorResponses): Promise<readonly string[]> {
  const paths: Record<string, JsonObject> = {};
  for (const route of input.routes) {
    await input.pause.takeIfOver();
    const path = route.path.replaceAll(/:([^/]+)/g, '{$1}');
    const operations = route.methods.map((method) => [
      method.toLowerCase(),
      route.operation === anyCall
        ? anyCallOperation(route, method, input, errors)
        : routeOperation(route, method, errors),
    ]);
    paths[path] = { ...paths[path], ...Object.fromEntries(operations) };
  }
  const texts: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    await input.pause.takeIfOver();
    texts.push(...members({ [path]: operations }));
  }
  return texts;
}

function infoText({ token: { restrictions }, endpoints, isCut }: ApiDocumentInput): string {
  const projects = restrictions?.projects ?? null;
  return [
    'Stored, named, parameterised GoogleSQL queries over log data. This description lists what your token may call.',
    ...(isCut ? [`It lists only the first ${endpoints.length} endpoints by name.`] : []),
    ...(projects === null ? [] : [`Your token can read only the events of ${projects.join(', ')}.`]),
  ].join(' ');
}

const tagTexts: Readonly<Record<string, string>> = {
  [callsTag]: 'Calling endpoints, and what one needs to know for it.',
  endpoints: 'Managing endpoints.',
  queries: 'Queries that are waiting or running.',
  events: 'Sending events.',
  tokens: 'Managing tokens, and explaining what they may do.',
  session: 'Signing in and out of the console.',
  sources: 'The log streams that events are sent to.',
  projects: 'Retention and deletion of the events of a project.',
  audit: 'Who changed what, and when.',
  exports: 'Answers that are written to disk, to be read later.',
  backups: 'Copies of all data of the service.',
  otlp: 'Receiving log records from OpenTelemetry.',
  loki: 'Receiving log lines from Loki clients.',
  elastic: 'Receiving documents from clients of Elasticsearch.',
  metrics: 'Counters and gauges of the service.',
  probes: 'Whether the service is alive and ready.',
  openapi: 'This description.',
  console: 'The console for browsers.',
  docs: 'The page that shows this description.',
};

/** Display names of tags that are not plain words (`x-displayName`, which our page and other viewers read). */
const tagTitles: Readonly<Record<string, string>> = { otlp: 'OTLP', openapi: 'OpenAPI' };

function tagsOf(routes: readonly Route[]): readonly JsonObject[] {
  const tags = [...new Set(routes.map(({ operation }) => tagOf(operation)))];
  return tags.map((name) => {
    const description = tagTexts[name];
    const title = tagTitles[name];
    return {
      name,
      ...(title === undefined ? {} : { 'x-displayName': title }),
      ...(description === undefined ? {} : { description }),
    };
  });
}

/** The operations on endpoints that do not manage them. */
const calls: ReadonlySet<string> = new Set([anyCall, 'endpoints.tail', 'endpoints.fields', 'endpoints.convert']);

function tagOf(operation: string): string {
  return calls.has(operation) ? callsTag : (operation.split('.')[0] ?? operation);
}

/** The members of an operation that follow from its route. */
function baseOf(route: Route, method: HttpMethod, description: string) {
  return {
    operationId: route.methods.length === 1 ? route.operation : `${route.operation}.${method.toLowerCase()}`,
    tags: [tagOf(route.operation)],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    ...(route.credential !== 'token' && route.credential !== 'session' ? { security: [] } : {}),
    ...(route.credential === 'session' ? { security: [{ session: [] }] } : {}),
  };
}

function pathParameters(path: string): readonly JsonObject[] {
  return [...path.matchAll(/:([^/]+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

/** The call of any endpoint by ID or name, with any parameters. */
function anyCallOperation(
  route: Route,
  method: HttpMethod,
  input: ApiDocumentInput,
  errors: ErrorResponses,
): JsonObject {
  const { token, headerPrefix } = input;
  const isSandbox = takesCallerQueries(true, token.restrictions);
  const ofService = serviceParameters(token.scopes, isSandbox);
  const answer = rowsAnswer([{ $ref: '#/components/schemas/CallerRow' }], 10_000, true);
  const schema: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(
      ofService.map(({ name, description, schema: of }) => [name, { ...of, description }]),
    ),
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  };
  const isGet = method === 'GET';
  const path = route.path.replace(/:[^/]+/, input.endpoints[0]?.endpoint.name ?? 'logs.all');
  const body = '{}';
  return {
    ...baseOf(route, method, 'Each endpoint that your token may call also has its own operation.'),
    parameters: [
      ...pathParameters(route.path),
      ...(isGet
        ? ofService.map(({ name, description, schema: of }) => ({ name, in: 'query', description, schema: of }))
        : []),
      ...callHeaders(headerPrefix, true).filter(({ name }) => isGet || name !== 'If-None-Match'),
    ],
    ...(isGet
      ? {}
      : {
          requestBody: {
            content: { 'application/json': { schema }, 'application/x-www-form-urlencoded': { schema } },
          },
        }),
    responses: {
      '200': answer,
      '202': exportBegun,
      ...(isGet ? { '304': notModified } : {}),
      ...errors.refs([...commonErrors(route, 'POST'), ...callErrors, ...callerQueryErrors]),
    },
    'x-codeSamples': codeSamples({ method, path, needsToken: true, query: [], ...(isGet ? {} : { body }) }),
  };
}

const undescribed: OperationDescription = { answer: { description: 'Done.', schema: { type: 'object' } } };

function routeOperation(route: Route, method: HttpMethod, errors: ErrorResponses): JsonObject {
  const described = operationDescriptions[route.operation] ?? undescribed;
  const { scope, parameters = [], body, query = [], answer } = described;
  const own: readonly ErrorCode[] = described.errors ?? [];
  const mediaType = (route.mediaType ?? 'application/json').split(';')[0] ?? 'application/json';
  const hasTag = parameters.includes(ifNoneMatch);
  const head = {
    description: answer.description,
    headers: headerRefs(['X-Request-Id', ...(hasTag ? ['ETag'] : [])]),
  };
  const success: JsonObject = { ...head, content: { [mediaType]: { schema: answer.schema } } };
  return {
    ...baseOf(route, method, scope === undefined ? '' : `Needs the scope ${scope}.`),
    parameters: [...pathParameters(route.path), ...parameters],
    ...(body === undefined ? {} : { requestBody: { required: true, content: body.content } }),
    responses: {
      ...Object.fromEntries((answer.statuses ?? ['200']).map((status) => [status, status === '204' ? head : success])),
      ...(hasTag ? { '304': notModified } : {}),
      ...(described.errorResponses ?? ((codes) => errors.refs(codes)))([...commonErrors(route, method), ...own]),
    },
    'x-codeSamples': codeSamples({
      method,
      path: route.path.replaceAll(/:([^/]+)/g, '{$1}'),
      needsToken: route.credential === 'token',
      ...(route.credential === 'session' ? { console: 'session' } : {}),
      ...(route.credential === 'body' ? { console: 'sign-in' } : {}),
      query,
      ...(body === undefined ? {} : { body: body.example }),
    }),
  };
}
