import type { Column } from '../../../googlesql/resolve/tree.ts';
import type { Cell } from './cells.ts';
import type { FetchedColumn, Transport } from './fetch.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';

/** How a SELECT returns the value of a column. */
export type Output = Omit<FetchedColumn, 'column' | 'name'> & { readonly sql: string };

export function outputOf(column: Column, cell: Cell): Output {
  switch (cell.kind) {
    case 'value':
      return {
        sql: cell.isTyped ? cell.sql : `CAST(${cell.sql}, 'Nullable(${engineType(column.type)})')`,
        transport: transportOf(column),
        personal: cell.personal ?? null,
      };
    case 'sealed':
      return { sql: cell.sql, transport: 'plain', personal: cell.personal };
    case 'scalar':
      return { sql: cell.sql, transport: 'scalar', personal: null };
    case 'json':
      return { sql: cell.lift(cell.context.table.columns.metadata), transport: 'json', personal: ['metadata'] };
    case 'text':
      return { sql: cell.sql, transport: 'json', personal: ['metadata'] };
    case 'kept':
      return notPushed(cell.reason);
    case 'deferred':
      throw new Error('a deferred column is not fetched');
  }
}

function transportOf({ type }: Column): Transport {
  switch (type.kind) {
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'TIME':
      return 'micros';
    case 'DATE':
      return 'days';
    default:
      return 'plain';
  }
}
