import type { ExistingColumn, ExistingTable } from './existingTable.ts';
import type { HotColumn } from './source.ts';

/** The columns that are members of metadata; none if one column is the metadata. */
export function membersOf({ columns, time, project, message, id, metadata }: ExistingTable): readonly ExistingColumn[] {
  if (metadata !== null) return [];
  const parts = new Set([time, project, message, id]);
  return columns.filter(({ name }) => !parts.has(name));
}

/** The typed columns of such a source. */
export function hotColumnsOf(table: ExistingTable): readonly HotColumn[] {
  const members = membersOf(table).flatMap(({ name, kind }, i): HotColumn[] =>
    kind === null ? [] : [{ column: `member_${i}`, path: [name], kind }],
  );
  return [{ column: 'has_metadata', path: [], kind: 'presence' }, ...members];
}
