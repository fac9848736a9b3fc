import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { writeJson } from '../../../core/writeJson.ts';
import { parseTimestamp } from '../../../endpoints/parseTimestamp.ts';
import type { Field, ReadTable } from '../../../invoke/fields/field.ts';
import { allTime } from '../../../invoke/fields/sampleTable.ts';
import { formatMicros } from '../../../invoke/formatMicros.ts';
import type { ParameterEntry } from '../../../invoke/parameterEntry.ts';
import { requireQuery } from '../../../tokens/permission.ts';
import { callParameters } from '../../callParameters.ts';
import { displayHeaders } from '../../displayHeaders.ts';
import { pageOf, readPage } from '../../page.ts';
import { jsonType, type Route } from '../../route.ts';
import { storeNotice } from '../../storeNotice.ts';
import { requireValue } from '../../urlOptions.ts';

const position = z.strictObject({ table: z.string(), path: z.array(z.string().nullable()).max(1000) });

/** Parameters of the operation. If the endpoint declares one of these names, it gets the value too. */
export const fieldsParameters = ['from', 'to', 'prefix', 'limit', 'cursor'] as const;

const own: ReadonlySet<string> = new Set(fieldsParameters);

/** Parameters of a call that mean nothing here. */
const refused: ReadonlySet<string> = new Set(['sql', 'lql', 'dry_run', 'format']);

/** Lists what the tables of an endpoint hold: columns, and members of the JSON in them. */
export const readFieldsOfEndpoint: Route = {
  operation: 'endpoints.fields',
  methods: ['GET'],
  path: '/api/endpoints/:idOrName/fields',
  urlParameters: 'open',
  summary:
    'Lists the fields of the tables that caller queries may read: columns, and members of the JSON in them, with types, shares and frequent values. Takes an ID or a name.',
  credential: 'token',
  codeWhenFull: 'query.overloaded',
  bodyBytesMax: (settings) => settings.queryBodyBytesMax,
  authorise({ scopes }) {
    requireQuery(scopes);
  },
  async handle(call, token) {
    const { headers, services, times } = call;
    const entries = times.time('parse', () => callParameters(call.rawQuery, headers, call.body));
    const options = optionsOf(entries);
    const { redactHeader } = displayHeaders(call);
    const { limit, after } = readPage(options, position);
    const { endpoint, fields, tables, notices } = await services.readFields({
      token,
      idOrName: call.pathParts.idOrName ?? '',
      parameters: entries,
      ownParameters: own,
      redactHeader,
      window: {
        afterMicros: timeOf(options, 'from', allTime.afterMicros),
        untilMicros: timeOf(options, 'to', allTime.untilMicros),
      },
      prefix: options.get('prefix') ?? '',
      limit,
      after,
      signal: call.signal,
      times,
    });
    const { result, next } = pageOf(fields, limit, ({ table, path }) => ({ table, path }));
    const body = writeJson({
      result: result.map(fieldView),
      tables: tables.map(tableView),
      endpoint,
      notices: [...notices, ...storeNotice(services.storeContact())].map((notice) => ({ ...notice })),
      next,
    });
    return { status: 200, headers: { 'content-type': jsonType, 'cache-control': 'no-store' }, body };
  },
};

function optionsOf(entries: readonly ParameterEntry[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const [name, value, list] of entries) {
    if (refused.has(name)) {
      throw new ServiceError(
        'parameter.unknown',
        `The parameter ${name} has no meaning for the fields of an endpoint.`,
        {
          errors: [{ parameter: name, allowed: [...own] }],
        },
      );
    }
    if (!own.has(name)) continue;
    requireValue(name, value);
    if (list !== undefined) {
      throw new ServiceError('parameter.duplicate', `The parameter ${name} takes one value; give it once.`, {
        errors: [{ parameter: name, message: 'is given more than once' }],
      });
    }
    options.set(name, value);
  }
  return options;
}

function timeOf(options: ReadonlyMap<string, string>, name: string, absent: number): number {
  const text = options.get(name);
  if (text === undefined) return absent;
  const micros = parseTimestamp(text);
  if (micros !== undefined) return micros;
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter ${name} is "${value}"; it must be an RFC 3339 time.`, {
    errors: [{ parameter: name, value, expected: 'a time such as 2026-05-01T10:00:00Z' }],
  });
}

function fieldView(field: Field) {
  return {
    table: field.table,
    path: field.text,
    types: field.types,
    rows: field.rows,
    share: rounded(field.share),
    distinct: field.distinct,
    values: field.values.map(({ value, share }) => ({ value, share: rounded(share) })),
    personal: field.isPersonal,
    first_seen: field.firstMicros === null ? null : formatMicros(field.firstMicros),
    last_seen: field.lastMicros === null ? null : formatMicros(field.lastMicros),
  };
}

function tableView({ name, rows, rowsRead, firstMicros: first, lastMicros: last, hasLeftOut }: ReadTable) {
  return {
    name,
    rows,
    rows_read: rowsRead,
    complete: rowsRead >= rows && !hasLeftOut,
    first_row: first === null ? null : formatMicros(first),
    last_row: last === null ? null : formatMicros(last),
  };
}

/** Four digits after the point. A share that is not 0 never shows as 0. */
function rounded(share: number): number {
  const shown = Math.round(share * 10_000) / 10_000;
  return shown === 0 && share > 0 ? 0.0001 : shown;
}
