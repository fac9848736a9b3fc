import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import type { HttpMethod, Route } from '../route.ts';
import { backupOperations } from './backupOperations.ts';
import { fieldsOperation } from './fieldsOperation.ts';
import { managementOperations, managementSchemas } from './managementOperations.ts';
import type { OperationDescription } from './operationDescription.ts';
import { retentionOperations, retentionSchemas } from './retentionOperations.ts';
import { count, ifNoneMatch, inHeader, instant, inUrl, list, object, text } from './schemaParts.ts';
import { sourceOperations, sourceSchemas } from './sourceOperations.ts';

const event: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', minLength: 1, maxLength: 128 },
    timestamp: { anyOf: [{ type: 'string', format: 'date-time' }, { type: 'integer' }] },
    event_message: text,
    project: text,
    metadata: { type: 'object', additionalProperties: true },
  },
  additionalProperties: true,
};

const oneEvent = JSON.stringify([
  {
    timestamp: '2026-05-01T10:00:30.000123Z',
    project: 'blueberry',
    event_message: 'GET | 200 | /rest/v1/todos',
    metadata: { request: { path: '/rest/v1/todos' }, response: { status_code: 200 } },
  },
]);

const ingestErrors: readonly ErrorCode[] = [
  'parameter.invalid',
  'source.missing',
  'source.ambiguous',
  'source.unknown',
  'ingest.batch_invalid',
  'ingest.key_reused',
  'ingest.too_many_events',
  'ingest.overloaded',
  'ingest.disk_full',
];

const appendEvents: OperationDescription = {
  scope: 'ingest, or ingest:source:<name>',
  parameters: [
    { name: 'source', in: 'query', description: 'The source of the events.', schema: text },
    { name: 'source_name', in: 'query', description: 'The same as `source`.', schema: text },
    {
      name: 'strict',
      in: 'query',
      description: '`true`: reject the whole batch if one event is bad.',
      schema: { type: 'boolean', default: false },
    },
    { name: 'X-Source', in: 'header', description: 'The source, if the URL does not name one.', schema: text },
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'A batch that is sent again with the same key is stored once.',
      schema: text,
    },
  ],
  body: {
    content: {
      'application/json': {
        schema: {
          anyOf: [
            { type: 'array', items: { $ref: '#/components/schemas/Event' } },
            object({ batch: { type: 'array', items: { $ref: '#/components/schemas/Event' } } }),
            { $ref: '#/components/schemas/Event' },
          ],
        },
      },
      'application/x-ndjson': { schema: { type: 'string', description: 'One event per line.' } },
    },
    example: oneEvent,
  },
  query: [['source', 'edge_logs']],
  answer: {
    description: 'The accepted events are on disk.',
    schema: object(
      {
        message: { const: 'Logged!' },
        accepted: count,
        rejected: { type: 'array', items: object({ index: count, code: text, message: text }) },
        rejected_total: count,
      },
      ['rejected_total'],
    ),
  },
  errors: [...ingestErrors, 'request.duplicate_key'],
};

const status: OperationDescription['answer'] = {
  description: 'Yes.',
  schema: object({ status: { const: 'ok' } }),
};

/** Schemas that the operations of this table refer to. */
export const operationSchemas: Readonly<Record<string, JsonObject>> = {
  Event: event,
  ...managementSchemas,
  ...sourceSchemas,
  ...retentionSchemas,
};

/** By the name of the operation. One that is not here is described by its route alone. */
export const operationDescriptions: Readonly<Record<string, OperationDescription>> = {
  'endpoints.fields': fieldsOperation,
  ...managementOperations,
  'queries.list': {
    scope: 'observe',
    answer: {
      description: 'The queries that are waiting or running.',
      schema: object(
        {
          queries: list(
            object({
              id: text,
              endpoint: { type: 'object' },
              token: { type: ['string', 'null'], description: 'Public ID of the token; null for cache warming.' },
              stage: text,
              started_at: instant,
              elapsed_ms: { type: 'number' },
            }),
          ),
          silent_nodes: {
            ...list(text),
            description: 'Nodes that did not answer, so their queries are missing. Absent if all answered.',
          },
        },
        ['silent_nodes'],
      ),
    },
  },
  'queries.kill': {
    scope: 'manage',
    answer: { description: 'The query is being stopped.', schema: object({ killed: text }) },
    errors: ['query.unknown'],
  },
  'events.append': appendEvents,
  'events.append_short': appendEvents,
  'events.append_alias': appendEvents,
  'otlp.export_logs': {
    scope: 'ingest, or ingest:source:<name>',
    parameters: [
      inUrl('source', 'The source of the log records.'),
      inHeader('X-Source', 'The source, if the URL does not name one.'),
      inHeader(
        'Idempotency-Key',
        'An export that is sent again with the same key is stored once. Without a key, a repeated export is stored again.',
      ),
    ],
    body: {
      content: {
        'application/x-protobuf': { schema: { description: 'An ExportLogsServiceRequest.' } },
        'application/json': { schema: { type: 'object', description: 'The same in the JSON form of OTLP.' } },
      },
      example: '{"resourceLogs":[]}',
    },
    query: [['source', 'edge_logs']],
    answer: {
      description: 'The accepted log records are on disk. The answer has the encoding of the request.',
      schema: { type: 'object' },
    },
    errors: ingestErrors,
  },
  ...sourceOperations,
  ...retentionOperations,
  ...backupOperations,
  'metrics.read': {
    scope: 'observe',
    answer: { description: 'Metrics.', schema: text },
    errors: ['auth.project'],
  },
  'probes.livez': { answer: status },
  'probes.readyz': { answer: status, errors: ['service.starting', 'service.draining', 'engine.restarting'] },
  'probes.health': { answer: status, errors: ['service.starting', 'service.draining', 'engine.restarting'] },
  'openapi.read': {
    parameters: [ifNoneMatch],
    answer: { description: 'This description.', schema: { type: 'object' } },
  },
  'docs.home': { answer: { description: 'A redirect to the page for browsers.', schema: text, statuses: ['302'] } },
  'docs.slash': { answer: { description: 'A redirect to the page for browsers.', schema: text, statuses: ['302'] } },
  'docs.page': { answer: { description: 'A page for browsers.', schema: text } },
  'docs.script': { answer: { description: 'Its script.', schema: text } },
  'docs.style': { answer: { description: 'Its style sheet.', schema: text } },
  'docs.icon': { answer: { description: 'Its icon.', schema: text } },
};

/** The error codes that an operation can answer because of its route, in addition to its own. */
export function commonErrors(
  route: Pick<Route, 'credential' | 'methods' | 'urlParameters'>,
  method: HttpMethod,
): readonly ErrorCode[] {
  return [
    ...(route.urlParameters === 'open'
      ? []
      : (['parameter.unknown', 'parameter.invalid', 'parameter.duplicate'] as const)),
    'request.malformed',
    'request.timeout',
    'request.head_too_large',
    'request.unsupported_transfer_coding',
    ...(route.methods.includes('GET') ? (['request.not_acceptable'] as const) : []),
    ...(route.credential === 'token'
      ? (['auth.missing', 'auth.invalid', 'auth.scope', 'auth.network', 'request.rate_limited'] as const)
      : []),
    ...(route.credential === 'token' && method !== 'GET'
      ? ([
          'request.too_large',
          'request.unsupported_encoding',
          'request.unsupported_media_type',
          'service.disk_full',
          'service.store_busy',
        ] as const)
      : []),
    'internal',
  ];
}
