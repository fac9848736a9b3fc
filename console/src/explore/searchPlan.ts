import { textOf } from '../api/losslessJson.ts';
import type { Row } from '../api/rowsProtocol.ts';
import { filtersOf, isChart, selectedOf } from '../lql/clauses.ts';
import type { TableShape } from './tableShape.ts';

/** Names of the columns that rows are asked for with. */
export const columnNames = {
  id: 'c_id',
  time: 'c_time',
  message: 'c_message',
  level: 'c_level',
  status: 'c_status',
} as const;

/** The ID of a row; an empty text if it has none. */
export const idOf = (row: Row): string => textOf(row[columnNames.id]);

export interface ShownColumn {
  /** Its name in rows. */
  readonly name: string;
  readonly title: string;
  /** As `s:` clauses have it; null if the console added it. */
  readonly path: string | null;
}

export interface SearchPlan {
  /** What is sent in place of the typed text. */
  readonly lql: string;
  readonly columns: readonly ShownColumn[];
  /** Whether rows have an id and a time, and can be opened. */
  readonly isLog: boolean;
}

/** The same rows as the typed text, with the columns that the console needs beside the wanted ones. */
export function planSearch(lql: string, shape: TableShape): SearchPlan {
  if (!shape.isLog || isChart(lql)) return { lql, columns: [], isLog: false };
  const wanted = selectedOf(lql)
    .filter((path) => path !== '*')
    .map((path, index): ShownColumn => {
      const [from = '', alias] = path.split('@');
      return { name: `c_${index}`, title: alias ?? from.replace(/^metadata\./, 'm.'), path };
    });
  const selects = [
    `s:id@${columnNames.id}`,
    `s:timestamp@${columnNames.time}`,
    `s:event_message@${columnNames.message}`,
    ...(shape.level === null ? [] : [`s:${shape.level}@${columnNames.level}`]),
    ...(shape.status === null ? [] : [`s:${shape.status}@${columnNames.status}`]),
    ...wanted.map(({ name, path }) => `s:${path?.split('@')[0]}@${name}`),
  ];
  return { lql: `${filtersOf(lql)} ${selects.join(' ')}`, columns: wanted, isLog: true };
}
