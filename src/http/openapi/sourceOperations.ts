import type { JsonObject } from '../../core/jsonValue.ts';
import { rejectionCatalogue } from '../../ingest/rejection.ts';
import { aliasesInput, sourceInput } from '../../manage/sourceManagement.ts';
import type { OperationDescription } from './operationDescription.ts';
import { requestSchema } from './requestSchema.ts';
import { count, instant, list, object, orNull, schemaRef, text } from './schemaParts.ts';

/** Schemas that the operations of sources refer to. */
export const sourceSchemas: Readonly<Record<string, JsonObject>> = {
  Source: object(
    {
      name: text,
      description: text,
      project_field: {
        type: 'string',
        description: 'The member of events that names their project: `project` or `metadata.<member>`.',
      },
      aliases: list(text),
      origin: { enum: ['builtin', 'configuration', 'added'] },
      table: {
        ...object({
          name: text,
          time: text,
          project: text,
          message: text,
          id: { type: ['string', 'null'] },
          metadata: { type: ['string', 'null'] },
          members: list(text),
        }),
        description:
          'Only of a read-only source: the table that it reads, and the columns that give the parts of an event.',
      },
    },
    ['table'],
  ),
};

const source = schemaRef('Source');

/** The operations, by name. */
export const sourceOperations: Readonly<Record<string, OperationDescription>> = {
  'sources.list': {
    scope: 'ingest, ingest:source:<name> or manage',
    answer: {
      description: 'The sources that the token may send to; all sources with the scope manage.',
      schema: object({ sources: list(source) }),
    },
  },
  'sources.create': {
    scope: 'manage',
    body: {
      content: { 'application/json': { schema: requestSchema(sourceInput) } },
      example: '{"name":"nginx_logs","description":"Access logs"}',
    },
    answer: {
      description: 'The source. It accepts events from now on, or shows the rows of its table.',
      schema: source,
      statuses: ['201'],
    },
    errors: [
      'source.invalid',
      'source.conflict',
      'auth.project',
      'request.duplicate_key',
      'ingest.overloaded',
      'engine.denied',
      'engine.failed',
      'engine.restarting',
    ],
  },
  'sources.set_aliases': {
    scope: 'manage',
    body: {
      content: { 'application/json': { schema: requestSchema(aliasesInput) } },
      example: '{"aliases":["nginx.access"]}',
    },
    answer: { description: 'The source as it is now.', schema: source },
    errors: ['source.unknown', 'source.invalid', 'source.conflict', 'request.duplicate_key'],
  },
  'sources.members_read': {
    scope: 'manage',
    answer: {
      description: 'The members, most read first. Answers from the cache do not count.',
      schema: object({
        source: text,
        members: list(
          object({
            member: { type: 'string', description: 'Such as `metadata.request.path`.' },
            queries: count,
            typed: {
              type: 'boolean',
              description: 'Whether it is stored as a typed column, which queries read faster.',
            },
          }),
        ),
      }),
    },
    errors: ['source.unknown', 'auth.project'],
  },
  'sources.rejections': {
    scope: 'manage',
    answer: {
      description: 'The reasons, most frequent first.',
      schema: object({
        source: text,
        rejections: list(
          object({
            code: { enum: Object.keys(rejectionCatalogue) },
            meaning: text,
            count,
            last_at: instant,
            message: { type: 'string', description: 'What the sender of a recent one was told, redacted.' },
            event: {
              ...orNull(text),
              description: 'The JSON text of that event, redacted; null if it is long or no JSON.',
            },
          }),
        ),
      }),
    },
    errors: ['source.unknown', 'auth.project'],
  },
};
