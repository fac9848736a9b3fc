import { ServiceError } from '../../core/errors.ts';
import type { Redactor } from '../../redact/createRedactor.ts';
import { formatMicros } from '../formatMicros.ts';
import { type Field, fieldOf } from './field.ts';
import { pathText } from './memberPath.ts';
import { allTime, sampleTable } from './sampleTable.ts';
import type { TableReader } from './tableRows.ts';

/** Fields of all tables together. */
const fieldsMax = 10_000;

/**
 * The rows of `INFORMATION_SCHEMA.FIELDS`, as a JSON array: those of the tables that are asked for (null for all). Throws
 * `sql.too_complex` if there are more fields than a query can read.
 */
export async function fieldRows(
  reader: TableReader,
  redactor: Redactor,
  asked: ReadonlySet<string> | null,
): Promise<string> {
  const rows: string[] = [];
  for (const table of await reader.tables()) {
    if (asked?.has(table.name) === false) continue;
    const sample = await sampleTable(table, { window: allTime }, reader);
    for (const member of sample.members) {
      rows.push(JSON.stringify(rowOf(fieldOf(member, table, sample, redactor))));
      await reader.takeIfOver();
    }
    if (rows.length <= fieldsMax) continue;
    throw new ServiceError(
      'sql.too_complex',
      `The tables have more than ${fieldsMax} fields, so INFORMATION_SCHEMA.FIELDS cannot list them. Add a condition such as table_name = 'edge_logs', or read GET /api/endpoints/{id}/fields, which has pages.`,
    );
  }
  return `[${rows.join(',')}]`;
}

/** Every value is a string, number or boolean of JSON, in the names of the view (googlesql/resolve/informationSchema.ts). */
function rowOf(field: Field) {
  return {
    table_name: field.table,
    column_name: field.path[0] ?? '',
    field_path: pathText(field.path),
    data_type: field.types.join('|'),
    row_count: field.rows,
    share: field.share,
    distinct_count: field.distinct,
    frequent_values: field.values.map(({ value }) => String(value)),
    is_personal: field.isPersonal,
    first_seen: field.firstMicros === null ? null : formatMicros(field.firstMicros),
    last_seen: field.lastMicros === null ? null : formatMicros(field.lastMicros),
  };
}
