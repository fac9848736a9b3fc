import { pageItems } from '../page.ts';
import type { OperationDescription } from './operationDescription.ts';
import { runErrors } from './runErrors.ts';
import { count, flag, instant, inUrl, list, object, orNull, text } from './schemaParts.ts';

const share = { type: 'number', minimum: 0, maximum: 1 };

const field = object({
  table: text,
  path: { type: 'string', description: '`table.path`, as queries write it. The elements of arrays are `[]`.' },
  types: {
    ...list(text),
    description: 'The type of the column, or the types of values that the member has: OBJECT, ARRAY, STRING, INT64, …',
  },
  rows: { ...count, description: 'Rows that have the field; an estimate unless the table is `complete`.' },
  share: { ...share, description: 'The same as a share of all rows.' },
  distinct: { ...count, description: 'Approximate number of distinct values, after redaction, in the rows read.' },
  values: {
    ...list(object({ value: { type: ['string', 'number', 'boolean'] }, share })),
    description: 'The most frequent values, redacted; strings are cut to 100 characters.',
  },
  personal: { ...flag, description: 'Whether the name says that values are personal. They are not shown then.' },
  first_seen: orNull(instant),
  last_seen: orNull(instant),
});

const table = object({
  name: text,
  rows: { ...count, description: 'Rows of the table in the time range.' },
  rows_read: { ...count, description: 'Rows that the fields were collected from.' },
  complete: { ...flag, description: 'Whether all rows were read, and no field was left out because of a limit.' },
  first_row: orNull(instant),
  last_row: orNull(instant),
});

/** The fields of an endpoint. */
export const fieldsOperation: OperationDescription = {
  scope: 'query, or query:endpoint:<id>',
  parameters: [
    inUrl('from', 'Only rows after this time, in tables with a column `timestamp`.', instant),
    inUrl('to', 'Only rows up to this time.', instant),
    inUrl('prefix', 'The beginning of the wanted fields, such as `edge_logs.metadata.request`.'),
    inUrl('limit', 'Fields per page.', {
      type: 'integer',
      minimum: 1,
      maximum: pageItems.max,
      default: pageItems.default,
    }),
    inUrl('cursor', '`next` of the previous page.'),
  ],
  query: [
    ['project', 'blueberry'],
    ['prefix', 'edge_logs.metadata.request'],
  ],
  answer: {
    description:
      'A page of fields, and the tables that were read for it. Parameters of the endpoint apply as in calls.',
    schema: object({
      result: list(field),
      tables: list(table),
      endpoint: object({ id: text, name: text, version: count }),
      notices: list({ type: 'object' }),
      next: { type: ['string', 'null'] },
    }),
  },
  errors: [
    'parameter.missing',
    'parameter.invalid',
    'parameter.duplicate',
    'parameter.too_long',
    'parameter.unknown',
    'parameter.locked',
    'auth.project',
    'auth.caller_query',
    'sandbox.disabled',
    'endpoint.unknown',
    'endpoint.version_unknown',
    'redaction.rows_max',
    ...runErrors,
  ],
};
