import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { elasticProbes } from '../routes/elastic/probes.ts';
import { elasticErrorResponses, exportErrorResponses, pushErrorResponses } from './errorResponses.ts';
import type { OperationDescription } from './operationDescription.ts';
import { count, inHeader, inUrl, list, object, text } from './schemaParts.ts';

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
  'source.read_only',
  'ingest.batch_invalid',
  'ingest.key_reused',
  'ingest.too_many_events',
  'ingest.overloaded',
  'ingest.disk_full',
];

const logged = object(
  {
    message: { const: 'Logged!' },
    accepted: count,
    rejected: { type: 'array', items: object({ index: count, code: text, message: text }) },
    rejected_total: count,
  },
  ['rejected_total'],
);

/** What every operation that takes events reads from its URL and headers. `events`: what a request has, in the plural. */
function batchParameters(events: string, source: string, repeated: string): readonly JsonObject[] {
  return [
    inUrl('source', source),
    inUrl('source_name', 'The same as `source`.'),
    inUrl('strict', `\`true\`: reject all ${events} of the request if one is invalid.`, {
      type: 'boolean',
      default: false,
    }),
    inHeader('X-Source', 'The source, if the URL does not name one.'),
    inHeader('Idempotency-Key', repeated),
  ];
}

const elasticCause = object({ type: text, reason: text });

const appendEvents: OperationDescription = {
  scope: 'ingest, or ingest:source:<name>',
  parameters: batchParameters(
    'events',
    'The source of the events.',
    'A batch that is sent again with the same key is stored once.',
  ),
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
  answer: { description: 'The accepted events are on disk.', schema: logged },
  errors: [...ingestErrors, 'request.duplicate_key'],
};

/** Schemas that the operations of ingestion refer to. */
export const ingestSchemas: Readonly<Record<string, JsonObject>> = {
  Event: event,
  ElasticError: object({
    error: object({ root_cause: list(elasticCause), type: text, reason: text }),
    status: { type: 'integer' },
  }),
};

const bulkItem = object({ _index: text, _id: text, result: text, status: count, error: elasticCause }, [
  '_index',
  '_id',
  'result',
  'error',
]);

const bulk: OperationDescription = {
  scope: 'ingest, or ingest:source:<name>',
  parameters: batchParameters(
    'documents',
    'The source of all documents, whatever their index.',
    'A request that is sent again with the same key is stored once.',
  ),
  body: {
    content: {
      'application/x-ndjson': { schema: { type: 'string', description: 'Lines of an action and its document.' } },
      'application/json': { schema: { type: 'string', description: 'The same.' } },
    },
    example: '{"index":{}}\n{"@timestamp":"2026-05-01T10:00:30Z","project":"blueberry","message":"payment failed"}\n',
  },
  query: [['source', 'edge_logs']],
  answer: {
    description: 'The status of each document, in order. Those with 201 are on disk.',
    schema: object({
      took: count,
      errors: { type: 'boolean' },
      items: list({ type: 'object', additionalProperties: bulkItem }),
    }),
  },
  errors: ingestErrors,
  errorResponses: elasticErrorResponses,
};

/** The operations, by name. */
export const ingestOperations: Readonly<Record<string, OperationDescription>> = {
  'events.append': appendEvents,
  'events.append_short': appendEvents,
  'events.append_alias': appendEvents,
  'otlp.export_logs': {
    scope: 'ingest, or ingest:source:<name>',
    parameters: batchParameters(
      'log records',
      'The source of the log records.',
      'An export that is sent again with the same key is stored once. Without a key, a repeated export is stored again.',
    ),
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
    errorResponses: exportErrorResponses,
  },
  'loki.push': {
    scope: 'ingest, or ingest:source:<name>',
    parameters: [
      ...batchParameters(
        'log lines',
        'The source of the log lines. If nothing names it, each stream does by its label `source`.',
        'A push that is sent again with the same key is stored once, as are equal bytes.',
      ),
      inHeader('X-Scope-OrgID', 'The project of log lines that have none.'),
    ],
    body: {
      content: {
        'application/json': {
          schema: object({
            streams: list(
              object({ stream: { type: 'object', additionalProperties: text }, values: list({ type: 'array' }) }),
            ),
          }),
        },
        'application/x-protobuf': { schema: { description: 'A PushRequest of Loki, in a block of Snappy.' } },
      },
      example: '{"streams":[{"stream":{"app":"web"},"values":[["1777629630000000123","payment failed"]]}]}',
    },
    query: [['source', 'edge_logs']],
    answer: {
      description: '204: all log lines are on disk. 200: the accepted ones are, and the answer lists the others.',
      schema: logged,
      statuses: ['204', '200'],
    },
    errors: ingestErrors,
    errorResponses: pushErrorResponses,
  },
  'webhooks.receive': {
    body: {
      content: {
        'application/json': { schema: { description: 'A delivery; the declaration of the webhook maps its members.' } },
      },
      example: '{"action":"opened"}',
    },
    answer: { description: 'The accepted events are on disk.', schema: logged },
    errors: ingestErrors,
  },
  'elastic.bulk': bulk,
  'elastic.bulk_slash': bulk,
  'elastic.bulk_index': bulk,
  ...Object.fromEntries(
    elasticProbes.map(({ operation }) => [
      operation,
      {
        scope: 'ingest, or ingest:source:<name>',
        answer: { description: 'What Elasticsearch would answer.', schema: { type: 'object' } },
        errors: ['service.starting', 'service.draining', 'engine.restarting'],
        errorResponses: elasticErrorResponses,
      } satisfies OperationDescription,
    ]),
  ),
};
