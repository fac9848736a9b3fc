import type { JsonObject } from '../../core/jsonValue.ts';
import { formatNames, resultFormat } from '../../formats/resultFormat.ts';
import { count, object, text } from './schemaParts.ts';

const endpoint = object({ id: { type: 'string', format: 'uuid' }, name: text, version: count });
const columns: JsonObject = {
  type: 'array',
  items: object({ name: text, type: { type: 'string', description: 'A GoogleSQL type.' } }),
};
const notices: JsonObject = { type: 'array', items: { $ref: '#/components/schemas/Notice' } };

/** Schemas that all answers of endpoints share (contract, section 1, "Success"). */
export const answerSchemas: Readonly<Record<string, JsonObject>> = {
  Notice: object({ code: text, message: text, parameter: text, line: count, column: count }, [
    'parameter',
    'line',
    'column',
  ]),
  Meta: object(
    {
      endpoint,
      columns,
      row_count: count,
      truncated: { type: 'boolean', description: 'Whether the query has more rows than the answer.' },
      truncated_by: { enum: ['max_rows', 'query_limit', 'result_bytes'] },
      next: {
        type: ['string', 'null'],
        description: 'With `page_size`: the `cursor` of the next page; null on the last one.',
      },
      prev: {
        type: ['string', 'null'],
        description: 'With `page_size`: the `cursor` of the previous page; null on the first one.',
      },
      data_begins: {
        type: 'object',
        additionalProperties: { type: 'string', format: 'date-time' },
        description:
          'For each source that the query reads: the time before which events were removed by retention, on request, or for lack of disk space. Absent if nothing was removed.',
      },
      notices,
      cache: object({
        outcome: { enum: ['hit', 'miss', 'refresh', 'stale', 'unchanged', 'bypass'] },
        as_of: {
          type: 'string',
          format: 'date-time',
          description:
            'The time whose rows these are: when the query ran or, if `unchanged`, when this was established.',
        },
      }),
      redaction: object({
        applied: { type: 'boolean' },
        counts: { type: 'object', additionalProperties: count },
      }),
      query: object({ elapsed_ms: { type: 'number', minimum: 0 }, rows_scanned: count }, ['rows_scanned']),
      request_id: text,
    },
    ['truncated_by', 'next', 'prev', 'data_begins'],
  ),
  CallerRow: {
    type: 'object',
    description: 'A row of a caller query or of an old version. `meta.columns` lists its columns.',
    additionalProperties: true,
  },
  DryRun: object({
    dry_run: object(
      {
        language: { enum: ['stored', 'sql', 'lql'] },
        tables: { type: 'array', items: { $ref: '#/components/schemas/TableRead' } },
        columns,
        parameters: {
          type: 'array',
          items: object({ name: text, type: text, required: { type: 'boolean' }, used: { type: 'boolean' } }),
        },
        rows_max: count,
        sources: { type: 'array', items: { $ref: '#/components/schemas/TableRead' } },
        engine: object({ statement: text, plan: text }),
      },
      ['sources', 'engine'],
    ),
    meta: object({ endpoint, notices, request_id: text }),
  }),
  TableRead: object({ name: text, columns: { type: 'array', items: text } }),
};

/** The content of formats other than `json`, by media type. */
const otherFormats: JsonObject = Object.fromEntries(
  formatNames
    .filter((name) => name !== 'json')
    .map((name) => {
      const [mediaType = ''] = resultFormat(name).mediaType.split(';');
      return [mediaType, { schema: { type: 'string', description: `With \`format=${name}\`.` } }];
    }),
);

/** The 200 of a call: at most `rowsMax` rows that fit one of `rows`, or the report of a dry run. */
export function rowsAnswer(rows: readonly JsonObject[], rowsMax: number, hasDryRun: boolean): JsonObject {
  const [first] = rows;
  const answer = object({
    result: {
      type: 'array',
      items: rows.length === 1 && first !== undefined ? first : { anyOf: rows },
      maxItems: rowsMax,
    },
    meta: { $ref: '#/components/schemas/Meta' },
  });
  const headers = [
    ...['X-Request-Id', 'ETag', 'Cache-Control', 'Cache-Status', 'Age', 'Link', 'Server-Timing'],
    ...['X-Row-Count', 'X-Truncated', 'X-Notices', 'X-Next-Cursor', 'X-Prev-Cursor', 'Content-Disposition'],
  ];
  return {
    description: 'The rows, and metadata about them.',
    headers: headerRefs(headers),
    content: {
      'application/json': {
        schema: hasDryRun ? { anyOf: [answer, { $ref: '#/components/schemas/DryRun' }] } : answer,
      },
      ...otherFormats,
    },
  };
}

/** The 304 of an answer that has an entity tag. */
export const notModified: JsonObject = {
  description: 'The copy that the client named in `If-None-Match` is current.',
  headers: headerRefs(['X-Request-Id', 'ETag']),
};

export function headerRefs(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
