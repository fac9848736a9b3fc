import * as z from 'zod';
import type { ErrorCode } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { definitionFields } from '../../endpoints/definitionFields.ts';
import { deployedMax } from '../../manage/endpointManagement.ts';
import { restrictionsSchema } from '../../tokens/restrictions.ts';
import { tokenStates } from '../../tokens/tokenState.ts';
import { pageItems } from '../page.ts';
import { noteCharsMax } from '../routes/endpoints/changeRequest.ts';
import { restoreInput } from '../routes/endpoints/restore.ts';
import { explainInput } from '../routes/tokens/explain.ts';
import { rotationInput, tokenInput } from '../routes/tokens/tokenRequest.ts';
import type { OperationDescription } from './operationDescription.ts';
import { requestSchema } from './requestSchema.ts';
import { runErrors } from './runErrors.ts';
import {
  count,
  flag,
  ifNoneMatch,
  inHeader,
  instant,
  inUrl,
  list,
  object,
  orNull,
  page,
  schemaRef,
  text,
  uuid,
} from './schemaParts.ts';

const nameOrNull: JsonObject = { type: ['string', 'null'] };

/** A definition as the API accepts it: `id` is optional, and `primary` makes the endpoint answer by its name. */
function definitionSchema(): JsonObject {
  const fields = definitionFields.extend({ id: definitionFields.shape.id.optional(), primary: z.boolean().optional() });
  return {
    ...requestSchema(fields),
    // A client can change what it read and send it back, because members that the service sets are ignored.
    additionalProperties: true,
  };
}

const versionMembers = {
  primary: flag,
  version: count,
  created_at: instant,
  updated_at: instant,
  author: nameOrNull,
  note: text,
};

/** Only for deleted endpoints. */
const deletedMembers = { deleted_at: instant };

/** Only in the answer to a dry run. */
const dryRunMembers = {
  dry_run: { const: true },
  message: { type: 'string', description: 'Says that nothing was changed.' },
};
const dryRunOptional = Object.keys(dryRunMembers);

const fieldChange = object({ field: text, from: {}, to: {} });

const column = object({ name: text, type: text });

/** Schemas that the operations below refer to. */
export const managementSchemas: Readonly<Record<string, JsonObject>> = {
  Definition: definitionSchema(),
  Endpoint: {
    allOf: [schemaRef('Definition'), object({ id: uuid, ...versionMembers, ...deletedMembers }, ['deleted_at'])],
  },
  EndpointSummary: object({ id: uuid, name: text, ...versionMembers, ...deletedMembers }, ['deleted_at']),
  EndpointDiff: object({
    query: nameOrNull,
    parameters: list(object({ name: text, change: text, fields: list(fieldChange) })),
    columns: list(object({ name: text, change: text, from: nameOrNull, to: nameOrNull })),
    settings: list(fieldChange),
    breaking: list(object({ rule: text, name: text, message: text })),
  }),
  EndpointCallers: {
    type: ['array', 'null'],
    items: object({ token: nameOrNull, description: nameOrNull, calls: count, last_call: instant }),
  },
  EndpointChange: object(
    {
      ...dryRunMembers,
      outcome: { enum: ['created', 'changed', 'unchanged', 'restored'] },
      endpoint: schemaRef('Endpoint'),
      diff: orNull(schemaRef('EndpointDiff')),
      callers: schemaRef('EndpointCallers'),
      notices: list(schemaRef('Notice')),
    },
    dryRunOptional,
  ),
  Token: object({
    id: text,
    description: text,
    scopes: list(text),
    restrictions: { type: 'object' },
    state: { enum: tokenStates },
    configured_by: nameOrNull,
    created_at: instant,
    expires_at: orNull(instant),
    last_used_at: orNull(instant),
    revoked_at: orNull(instant),
    previous_secret_until: orNull(instant),
  }),
};

const scope = 'manage';
const pageParameters = [
  inUrl('limit', `Items per page, 1 to ${pageItems.max}.`, {
    type: 'integer',
    minimum: 1,
    maximum: pageItems.max,
    default: pageItems.default,
  }),
  inUrl('cursor', '`next` of the previous page.'),
];
const changeParameters = [
  inUrl('dry_run', '`true`: report what would change, and change nothing.', { type: 'boolean', default: false }),
  inUrl('allow_breaking', '`true`: make the change even if it removes something that callers may rely on.', {
    type: 'boolean',
    default: false,
  }),
  inUrl('note', 'A note to store with the new version.', { type: 'string', maxLength: noteCharsMax }),
];
const deletedParameter = inUrl('deleted', '`true`: read deleted endpoints instead.', {
  type: 'boolean',
  default: false,
});
const ifMatch = inHeader('If-Match', 'Entity tag of the endpoint. If the current tag differs, the answer is a 412.');

const urlErrors: readonly ErrorCode[] = ['parameter.unknown', 'parameter.duplicate', 'parameter.invalid'];
const changeErrors: readonly ErrorCode[] = [
  ...urlErrors,
  'parameter.too_long',
  'request.duplicate_key',
  'definition.invalid',
  'definition.conflict',
  'definition.breaking',
];
const oneErrors: readonly ErrorCode[] = [...changeErrors, 'endpoint.unknown', 'request.precondition_failed'];

const exampleDefinition = {
  name: 'errors.by-path',
  query: 'select metadata.request.path as path from sources.edge_logs where project = @project',
  parameters: { project: { type: 'string', required: true } },
};

function json(schema: JsonObject, example: unknown): NonNullable<OperationDescription['body']> {
  return { content: { 'application/json': { schema } }, example: JSON.stringify(example) };
}

const changed: OperationDescription['answer'] = {
  description: 'The outcome, the endpoint as it is now, and the differences.',
  schema: schemaRef('EndpointChange'),
};

/** A change of an existing endpoint. */
function changeOfOne(more: Partial<OperationDescription> = {}): OperationDescription {
  return { scope, parameters: [...changeParameters, ifMatch], answer: changed, errors: oneErrors, ...more };
}

/** Operations that need the scope `manage` or `observe`, by name. */
export const managementOperations: Readonly<Record<string, OperationDescription>> = {
  'endpoints.list': {
    scope,
    parameters: [inUrl('name', 'Only endpoints with this name.'), deletedParameter, ...pageParameters],
    answer: { description: 'A page of endpoints.', schema: page(schemaRef('EndpointSummary')) },
    errors: urlErrors,
  },
  'endpoints.create': {
    scope,
    parameters: changeParameters,
    body: json(schemaRef('Definition'), exampleDefinition),
    answer: { ...changed, statuses: ['201', '200'] },
    errors: changeErrors,
  },
  'endpoints.check': {
    scope,
    body: json(schemaRef('Definition'), exampleDefinition),
    answer: {
      description: 'Whether the definition can be stored, and its columns, parameters and tables.',
      schema: object(
        {
          valid: flag,
          problem: nameOrNull,
          errors: list({ type: 'object' }),
          parameters: list({ type: 'object' }),
          columns: list(column),
          tables: list(object({ name: text, columns: list(column) })),
          rows_max: count,
          notices: list(schemaRef('Notice')),
        },
        ['columns', 'tables', 'rows_max', 'notices'],
      ),
    },
    errors: [...urlErrors, 'request.duplicate_key'],
  },
  'endpoints.run': {
    scope: 'manage, and query',
    body: json(object({ definition: schemaRef('Definition'), parameters: { type: 'object' } }, ['parameters']), {
      definition: exampleDefinition,
      parameters: { project: 'blueberry' },
    }),
    answer: {
      description: 'The rows, and metadata about them.',
      schema: object({ result: list(schemaRef('CallerRow')), meta: schemaRef('Meta') }),
    },
    errors: [...changeErrors, 'parameter.missing', 'sql.data', 'auth.project', ...runErrors],
  },
  'endpoints.deploy': {
    scope,
    parameters: changeParameters,
    body: json(
      object({
        definitions: { ...list({ allOf: [schemaRef('Definition'), { required: ['id'] }] }), maxItems: deployedMax },
      }),
      { definitions: [{ id: '6f2c1f0e-6f43-4c1b-9d52-0d6f3c1d7a10', ...exampleDefinition }] },
    ),
    answer: {
      description: 'The outcome for each definition.',
      schema: object(
        {
          ...dryRunMembers,
          dry_run: flag,
          result: list(
            object({
              id: uuid,
              name: text,
              outcome: { enum: ['created', 'changed', 'unchanged'] },
              version: count,
              primary: flag,
              diff: orNull(schemaRef('EndpointDiff')),
              callers: schemaRef('EndpointCallers'),
              notices: list(schemaRef('Notice')),
            }),
          ),
        },
        ['message'],
      ),
    },
    errors: oneErrors,
  },
  'endpoints.read': {
    scope,
    parameters: [deletedParameter, ifNoneMatch, ifMatch],
    answer: { description: 'The endpoint.', schema: schemaRef('Endpoint') },
    errors: ['endpoint.unknown', 'request.precondition_failed', ...urlErrors],
  },
  'endpoints.replace': changeOfOne({ body: json(schemaRef('Definition'), exampleDefinition) }),
  'endpoints.patch': changeOfOne({
    body: {
      content: {
        'application/merge-patch+json': { schema: { type: 'object' } },
        'application/json': { schema: { type: 'object' } },
      },
      example: JSON.stringify({ max_rows: 500 }),
    },
  }),
  'endpoints.delete': changeOfOne({
    answer: {
      description: 'The deleted endpoint or, in a dry run, the endpoint that would be deleted.',
      schema: object(
        {
          ...dryRunMembers,
          deleted: orNull(uuid),
          would_delete: uuid,
          name: text,
          version: count,
          callers: schemaRef('EndpointCallers'),
        },
        [...dryRunOptional, 'would_delete'],
      ),
    },
  }),
  'endpoints.versions': {
    scope,
    parameters: [deletedParameter, ...pageParameters],
    answer: {
      description: 'A page of versions.',
      schema: page(object({ name: text, version: count, created_at: instant, author: nameOrNull, note: text })),
    },
    errors: ['endpoint.unknown', ...urlErrors],
  },
  'endpoints.version': {
    scope,
    parameters: [deletedParameter],
    answer: { description: 'The version.', schema: schemaRef('Endpoint') },
    errors: ['endpoint.unknown', 'endpoint.version_unknown', ...urlErrors],
  },
  'endpoints.diff': {
    scope,
    parameters: [
      inUrl('from', 'Version number to compare from.', { type: 'integer', minimum: 1 }),
      inUrl('to', 'Version number to compare to.', { type: 'integer', minimum: 1 }),
    ],
    answer: {
      description: 'The differences.',
      schema: { allOf: [schemaRef('EndpointDiff'), object({ id: uuid, name: text, from: count, to: count })] },
    },
    errors: ['endpoint.unknown', 'endpoint.version_unknown', ...urlErrors],
  },
  'endpoints.restore': changeOfOne({
    body: json(requestSchema(restoreInput), { version: 1 }),
    errors: [...oneErrors, 'endpoint.version_unknown'],
  }),
  'endpoints.primary': changeOfOne(),
  'endpoints.purge': {
    scope,
    answer: {
      description: 'The number of results dropped; null for a token that is restricted to projects.',
      schema: object({ purged: orNull(count) }),
    },
    errors: ['endpoint.unknown'],
  },
  'tokens.list': {
    scope,
    parameters: [
      inUrl('state', 'Only tokens in this state.', {
        type: 'string',
        enum: [...tokenStates, 'all'],
        default: 'live',
      }),
      ...pageParameters,
    ],
    answer: { description: 'A page of tokens.', schema: page(schemaRef('Token')) },
    errors: urlErrors,
  },
  'tokens.create': {
    scope,
    body: json(requestSchema(tokenInput.extend({ restrictions: restrictionsSchema.default({}) })), {
      scopes: ['query'],
      description: 'dashboard',
      restrictions: { projects: ['blueberry'] },
    }),
    answer: {
      description: 'The token, with its secret.',
      schema: { allOf: [schemaRef('Token'), object({ token: text, notices: list(schemaRef('Notice')) })] },
      statuses: ['201'],
    },
    errors: ['token.invalid', 'auth.project', 'request.duplicate_key'],
  },
  'tokens.read': {
    scope,
    answer: { description: 'The token.', schema: schemaRef('Token') },
    errors: ['token.unknown'],
  },
  'tokens.revoke': {
    scope,
    answer: { description: 'The revoked token.', schema: schemaRef('Token') },
    errors: ['token.unknown', 'token.conflict'],
  },
  'tokens.rotate': {
    scope,
    body: json(requestSchema(rotationInput), { overlap_seconds: 3600 }),
    answer: {
      description: 'The token, with its new secret.',
      schema: { allOf: [schemaRef('Token'), object({ token: text })] },
    },
    errors: ['token.unknown', 'token.invalid', 'token.conflict'],
  },
  'tokens.explain': {
    scope,
    body: json(requestSchema(explainInput), { endpoint: 'logs.all', parameters: { project: 'blueberry' } }),
    answer: {
      description: 'The outcome of the call, rule by rule.',
      schema: object({
        outcome: { enum: ['allowed', 'refused'] },
        status: count,
        code: nameOrNull,
        rules: list(object({ rule: text, outcome: { enum: ['allowed', 'refused', 'not_reached'] }, why: text })),
      }),
    },
    errors: ['token.unknown', 'token.invalid'],
  },
  'audit.list': {
    scope,
    parameters: [inUrl('actor', 'Only entries of the token with this public ID.'), ...pageParameters],
    answer: {
      description: 'A page of audit entries.',
      schema: page(
        object({
          sequence: count,
          at: instant,
          actor: nameOrNull,
          action: text,
          target: nameOrNull,
          version: { type: ['integer', 'null'] },
          code: nameOrNull,
          count: { type: ['integer', 'null'] },
          request_id: nameOrNull,
        }),
      ),
    },
    errors: urlErrors,
  },
};
