import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import type { HttpMethod, Route } from '../route.ts';
import { backupOperations } from './backupOperations.ts';
import { convertOperation } from './convertOperation.ts';
import { exportOperations, exportSchema } from './exportOperations.ts';
import { fieldsOperation } from './fieldsOperation.ts';
import { functionsOperation } from './functionsOperation.ts';
import { ingestOperations, ingestSchemas } from './ingestOperations.ts';
import { managementOperations, managementSchemas } from './managementOperations.ts';
import type { OperationDescription } from './operationDescription.ts';
import { retentionOperations, retentionSchemas } from './retentionOperations.ts';
import { ifNoneMatch, instant, list, object, text } from './schemaParts.ts';
import { sessionOperations } from './sessionOperations.ts';
import { sourceOperations, sourceSchemas } from './sourceOperations.ts';
import { tailOperation } from './tailOperation.ts';

const status: OperationDescription['answer'] = {
  description: 'Yes.',
  schema: object({ status: { const: 'ok' } }),
};

/** Schemas that the operations of this table refer to. */
export const operationSchemas: Readonly<Record<string, JsonObject>> = {
  ...ingestSchemas,
  ...managementSchemas,
  ...sourceSchemas,
  ...retentionSchemas,
  Export: exportSchema,
};

/** By the name of the operation. One that is not here is described by its route alone. */
export const operationDescriptions: Readonly<Record<string, OperationDescription>> = {
  'endpoints.fields': fieldsOperation,
  'endpoints.tail': tailOperation,
  'endpoints.convert': convertOperation,
  'functions.list': functionsOperation,
  ...managementOperations,
  'doctor.run': {
    scope: 'manage',
    answer: {
      description: 'What was checked, in order.',
      schema: object({
        findings: list(
          object({ check: text, status: { enum: ['ok', 'warn', 'fail'] }, message: text, advice: text }, ['advice']),
        ),
      }),
    },
    errors: ['auth.project'],
  },
  'queries.list': {
    scope: 'observe',
    answer: {
      description: 'The queries that are waiting or running.',
      schema: object(
        {
          queries: list(
            object(
              {
                id: text,
                endpoint: { type: 'object' },
                token: {
                  type: ['string', 'null'],
                  description: 'Public ID of the token, or tails for tails of several tokens; null for cache warming.',
                },
                request_ids: {
                  ...list(text),
                  description: 'Request IDs of the tails that the query reads, if several.',
                },
                stage: text,
                started_at: instant,
                elapsed_ms: { type: 'number' },
              },
              ['request_ids'],
            ),
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
  ...ingestOperations,
  ...sourceOperations,
  ...retentionOperations,
  ...backupOperations,
  ...exportOperations,
  ...sessionOperations,
  'metrics.read': {
    scope: 'observe',
    answer: { description: 'Metrics.', schema: text },
    errors: ['auth.project'],
  },
  'probes.livez': { answer: status },
  'probes.readyz': { answer: status, errors: ['service.starting', 'service.draining', 'engine.restarting'] },
  'probes.health': { answer: status, errors: ['service.starting', 'service.draining', 'engine.restarting'] },
  'probes.ready': { answer: status, errors: ['service.starting', 'service.draining', 'engine.restarting'] },
  'openapi.read': {
    parameters: [ifNoneMatch],
    answer: { description: 'This description.', schema: { type: 'object' } },
  },
  'schemas.definition': { answer: { description: 'A JSON Schema.', schema: { type: 'object' } } },
  'schemas.test': { answer: { description: 'A JSON Schema.', schema: { type: 'object' } } },
  'console.page': { answer: { description: 'A page for browsers.', schema: text }, errors: ['console.missing'] },
  'console.slash': { answer: { description: 'A redirect to the console.', schema: text, statuses: ['302'] } },
  'console.asset': { answer: { description: 'A file.', schema: text }, errors: ['console.missing'] },
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
    ...(route.credential === 'token' || route.credential === 'session'
      ? (['session.invalid', 'session.cross_site'] as const)
      : []),
    ...(route.credential === 'signature' ? (['auth.invalid', 'request.rate_limited'] as const) : []),
    ...((route.credential === 'token' && method !== 'GET') ||
    route.credential === 'body' ||
    route.credential === 'signature'
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
