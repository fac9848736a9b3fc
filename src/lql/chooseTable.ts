import { ServiceError } from '../core/errors.ts';
import type { CallerTable } from '../googlesql/callerTables.ts';
import type { LqlQuery } from './query.ts';

/**
 * The table that `f:` names, or the endpoint's only table. An unknown name is returned without columns, so that the
 * resolver refuses it as in SQL. Throws `lql.table_missing` if there are several tables and no `f:`.
 */
export function chooseTable(query: LqlQuery, tables: readonly CallerTable[]): CallerTable {
  const from = query.clauses.find((clause) => clause.kind === 'from');
  if (from !== undefined) {
    const named = tables.find(({ name }) => name.toLowerCase() === from.table.toLowerCase());
    return named ?? { name: from.table, columns: [] };
  }
  const [only] = tables;
  if (only !== undefined && tables.length === 1) return only;
  const allowed = tables.map(({ name }) => name);
  const choice = only === undefined ? 'This endpoint has no tables.' : `Add f:name with one of ${allowed.join(', ')}.`;
  throw new ServiceError('lql.table_missing', `The query does not name a table. ${choice}`, {
    errors: [{ expected: 'f:name', allowed }],
  });
}
