import type { JsonObject } from '../../core/jsonValue.ts';
import type { OperationDescription } from './operationTable.ts';
import { list, object, schemaRef, text } from './schemaParts.ts';

/** Schemas that the operations of sources point at. */
export const sourceSchemas: Readonly<Record<string, JsonObject>> = {
  Source: object({
    name: text,
    description: text,
    project_field: {
      type: 'string',
      description: '`project`, or `metadata.<member>`: where events carry their project.',
    },
    aliases: list(text),
    origin: { enum: ['builtin', 'configuration', 'added'] },
  }),
};

const source = schemaRef('Source');

/** By the name of the operation. */
export const sourceOperations: Readonly<Record<string, OperationDescription>> = {
  'sources.list': {
    scope: 'ingest, ingest:source:<name> or manage',
    answer: { description: 'Those that the token may send to, or all.', schema: object({ sources: list(source) }) },
  },
  'sources.create': {
    scope: 'manage',
    body: {
      content: {
        'application/json': {
          schema: object({ name: text, description: text, project_field: text, aliases: list(text) }, [
            'description',
            'project_field',
            'aliases',
          ]),
        },
      },
      example: '{"name":"nginx_logs","description":"Access logs"}',
    },
    answer: { description: 'Events can be sent to it.', schema: source, statuses: ['201'] },
    errors: ['source.invalid', 'source.conflict', 'request.duplicate_key', 'ingest.overloaded', 'engine.restarting'],
  },
  'sources.set_aliases': {
    scope: 'manage',
    body: {
      content: { 'application/json': { schema: object({ aliases: list(text) }) } },
      example: '{"aliases":["nginx.access"]}',
    },
    answer: { description: 'The source as it is now.', schema: source },
    errors: ['source.unknown', 'source.invalid', 'source.conflict', 'request.duplicate_key'],
  },
};
