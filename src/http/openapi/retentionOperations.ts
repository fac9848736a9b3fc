import type { JsonObject } from '../../core/jsonValue.ts';
import { projectRetentionInput, retentionDays, sourceRetentionInput } from '../../manage/retentionManagement.ts';
import type { OperationDescription } from './operationDescription.ts';
import { requestSchema } from './requestSchema.ts';
import { count, instant, inUrl, list, object, orNull, schemaRef, text, uuid } from './schemaParts.ts';

const scope = 'manage';
const days = requestSchema(retentionDays);
const effective = object({ days, from: { enum: ['source and project', 'project', 'source', 'default'] } });
const removedCounts = { events: count, bytes: { ...count, description: 'An estimate.' } };

/** Schemas that the operations of retention and deletion refer to. */
export const retentionSchemas: Readonly<Record<string, JsonObject>> = {
  SourceRetention: object({ source: text, days: orNull(days), effective }),
  ProjectRetention: object({
    project: text,
    days: orNull(days),
    sources: { type: 'object', additionalProperties: days },
    effective: { type: 'object', additionalProperties: effective },
  }),
  Deletion: object({
    id: uuid,
    project: text,
    source: orNull(text),
    before: orNull(instant),
    state: {
      enum: ['running', 'waiting', 'complete'],
      description:
        '`complete` when no file holds the deleted events any more; `waiting` when only the files in `waits_for` are left; otherwise `running`. Queries never see the deleted events.',
    },
    waits_for: {
      ...list(object({ file: text, contents: { enum: ['known', 'unknown'] } })),
      description:
        'Quarantined files in `events/damaged` that hold deleted events (`known`), or may hold some (`unknown`).',
    },
    requested_at: instant,
    requested_by: text,
    completed_at: orNull(instant),
    removed: object({
      ...removedCounts,
      sources: { type: 'object', additionalProperties: object(removedCounts) },
    }),
  }),
};

const json = (schema: JsonObject, example: JsonObject) => ({
  content: { 'application/json': { schema } },
  example: JSON.stringify(example),
});

const deletion = schemaRef('Deletion');

/** The operations, by name. */
export const retentionOperations: Readonly<Record<string, OperationDescription>> = {
  'sources.retention': {
    scope,
    answer: { description: 'How long events of the source are kept.', schema: schemaRef('SourceRetention') },
    errors: ['source.unknown', 'source.read_only'],
  },
  'sources.set_retention': {
    scope,
    body: json(requestSchema(sourceRetentionInput), { days: 30 }),
    answer: { description: 'How long events of the source are kept now.', schema: schemaRef('SourceRetention') },
    errors: [
      'source.unknown',
      'source.read_only',
      'retention.invalid',
      'retention.busy',
      'auth.project',
      'request.duplicate_key',
    ],
  },
  'projects.retention': {
    scope,
    answer: { description: 'How long events of the project are kept.', schema: schemaRef('ProjectRetention') },
    errors: ['project.invalid', 'auth.project', 'parameter.unknown', 'parameter.duplicate'],
  },
  'projects.set_retention': {
    scope,
    body: json(requestSchema(projectRetentionInput), { days: 30, sources: { edge_logs: 7 } }),
    answer: { description: 'How long events of the project are kept now.', schema: schemaRef('ProjectRetention') },
    errors: [
      'source.unknown',
      'source.read_only',
      'retention.invalid',
      'retention.busy',
      'project.invalid',
      'auth.project',
      'parameter.unknown',
      'parameter.duplicate',
      'request.duplicate_key',
    ],
  },
  'projects.delete_events': {
    scope,
    parameters: [
      inUrl('source', 'Only events of this source.'),
      inUrl('before', 'Only events before this date or time.', instant),
    ],
    answer: {
      description: 'The deletion. From now on, no query shows the deleted events.',
      schema: deletion,
      statuses: ['202'],
    },
    errors: [
      'source.unknown',
      'source.read_only',
      'deletion.invalid',
      'project.invalid',
      'auth.project',
      'ingest.overloaded',
      'engine.restarting',
      'parameter.unknown',
      'parameter.duplicate',
    ],
  },
  'projects.deletions': {
    scope,
    answer: {
      description: 'The deletions of the project, newest first.',
      schema: object({ deletions: list(deletion) }),
    },
    errors: ['project.invalid', 'auth.project', 'parameter.unknown', 'parameter.duplicate'],
  },
  'projects.deletion': {
    scope,
    answer: { description: 'The deletion.', schema: deletion },
    errors: ['deletion.unknown', 'project.invalid', 'auth.project', 'parameter.unknown', 'parameter.duplicate'],
  },
};
