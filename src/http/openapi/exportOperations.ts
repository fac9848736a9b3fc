import { errorCatalogue } from '../../core/errorCatalogue.ts';
import type { JsonObject } from '../../core/jsonValue.ts';
import { exportFormats } from '../../exports/exportRecord.ts';
import { headerRefs } from './answerSchemas.ts';
import type { OperationDescription } from './operationDescription.ts';
import {
  count,
  ifNoneMatch,
  inHeader,
  instant,
  inUrl,
  list,
  object,
  orNull,
  schemaRef,
  text,
  uuid,
} from './schemaParts.ts';

const scope = 'query, or query of one endpoint';

/** The schema `Export`. */
export const exportSchema = object({
  id: uuid,
  endpoint: object({ id: uuid, name: text, version: count }),
  format: { enum: [...exportFormats] },
  state: { enum: ['waiting', 'running', 'complete', 'failed'] },
  rows: { ...count, description: 'Rows so far.' },
  bytes: { ...count, description: 'Bytes of these rows as JSON.' },
  created_at: instant,
  deadline: { ...instant, description: 'When the export is stopped if it still runs.' },
  ended_at: orNull(instant),
  expires_at: { ...orNull(instant), description: 'When it is removed; null while it runs.' },
  truncated_by: { ...orNull(text), description: 'The limit that left out rows; null if none did.' },
  notices: {
    ...list(schemaRef('Notice')),
    description: 'The notices of the rows; empty unless the state is `complete`.',
  },
  data: { ...orNull(text), description: 'Path of the rows; null unless the state is `complete`.' },
  error: {
    ...orNull(object({ code: { enum: Object.keys(errorCatalogue) }, status: count, detail: text })),
    description: 'Why it failed; null unless the state is `failed`.',
  },
});

/** The 202 of a call with `Prefer: respond-async`. */
export const exportBegun: JsonObject = {
  description: 'With `Prefer: respond-async`: an export of the rows was begun. `Location` is its path.',
  headers: headerRefs(['X-Request-Id', 'Location', 'Retry-After', 'Preference-Applied']),
  content: { 'application/json': { schema: schemaRef('Export') } },
};

/** The operations, by name. */
export const exportOperations: Readonly<Record<string, OperationDescription>> = {
  'exports.list': {
    scope,
    answer: { description: 'The exports.', schema: object({ exports: list(schemaRef('Export')) }) },
    errors: ['export.unsupported'],
  },
  'exports.read': {
    scope,
    answer: { description: 'The export.', schema: schemaRef('Export') },
    errors: ['export.unknown', 'export.unsupported'],
  },
  'exports.read_data': {
    scope,
    parameters: [
      inUrl('format', 'The format of the rows. Default: that of the export.', { enum: [...exportFormats] }),
      inUrl('csv_guard', 'With csv and tsv: writes an apostrophe before texts that may be formulas.', {
        type: 'boolean',
      }),
      inUrl('bom', 'With csv and tsv: begins with a byte order mark.', { type: 'boolean' }),
      inHeader('Range', 'The bytes that are wanted, such as `bytes=1000-`. The answer is then a 206.'),
      inHeader('If-Range', 'Entity tag of the data that the client has a part of.'),
      ifNoneMatch,
      inHeader('If-Match', 'Entity tag of the data. If the current tag differs, the answer is a 412.'),
    ],
    answer: {
      description: 'The rows, or with `Range` a part of them.',
      schema: { type: 'string', format: 'binary' },
      statuses: ['200', '206'],
    },
    errors: [
      'export.unknown',
      'export.unsupported',
      'export.incomplete',
      'export.disk_full',
      'format.unsuitable',
      'format.unsupported',
      'request.precondition_failed',
      'request.range_unsatisfiable',
      'query.memory',
      'service.disk_full',
      'engine.restarting',
      'engine.failed',
    ],
  },
  'exports.delete': {
    scope,
    answer: { description: 'The export was removed.', schema: object({ deleted: uuid }) },
    errors: ['export.unknown', 'export.unsupported'],
  },
};
