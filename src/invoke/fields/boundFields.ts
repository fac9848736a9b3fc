import { fieldTables } from '../../googlesql/plan/fieldTables.ts';
import { fieldsParameter } from '../../googlesql/resolve/informationSchema.ts';
import type { ParameterValue } from '../../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import type { StageTimes } from '../stageTimes.ts';
import { fieldRows } from './fieldRows.ts';
import { type ReadingCall, type RowReaderServices, TableReader } from './tableRows.ts';

/**
 * The value of `fieldsParameter` for a query that reads INFORMATION_SCHEMA.FIELDS; null for any other query. A dry run
 * reads no events, so its value is NULL.
 */
export async function boundFields(
  query: ResolvedQuery,
  call: ReadingCall,
  times: StageTimes,
  services: RowReaderServices,
): Promise<ParameterValue | null> {
  if (!query.parameters.has(fieldsParameter)) return null;
  if (call.bound.isDryRun) return { kind: 'null' };
  const asked = fieldTables(query.relation, call.bound.parameters);
  const reader = new TableReader(call, services);
  const rows = await times.timeAsync('fields', () => fieldRows(reader, services.redactor, asked));
  return { kind: 'string', value: rows };
}
