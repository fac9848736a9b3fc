import { Refused } from './query.ts';
import { written } from './times.ts';
import { type Value, valueAt } from './value.ts';

export type ColumnType = 'STRING' | 'TIMESTAMP' | 'DATETIME' | 'JSON' | 'INT64' | 'FLOAT64' | 'BOOL' | 'ARRAY<STRING>';

/** A row holds its times as microseconds, in bigints. */
export type Row = Readonly<Record<string, Value>>;

export interface Table {
  readonly name: string;
  readonly columns: Readonly<Record<string, ColumnType>>;
  readonly rows: readonly Row[];
}

/** What a path leads to in the rows of one table. */
export interface Target {
  readonly type: ColumnType;
  readonly read: (row: Row) => Value;
}

/** A column is found in any case; below a column of JSON every member may be asked for, and no other has members. */
export function targetOf(table: Table, [first = '', ...steps]: readonly string[]): Target {
  const found = Object.entries(table.columns).find(([name]) => name.toLowerCase() === first.toLowerCase());
  if (found === undefined) throw new Refused(`no column ${first}`);
  const [column, type] = found;
  if (steps.length > 0 && type !== 'JSON') throw new Refused(`${column} has no members`);
  return { type, read: (row) => valueAt(row[column] ?? null, steps) };
}

export const hasColumn = (table: Table, name: string): boolean => Object.hasOwn(table.columns, name);

/** A value of a column as an answer shows it. A time without a zone has a fraction where it needs one. */
export function shownAs(type: ColumnType, value: Value): Value {
  if (typeof value !== 'bigint') return value;
  if (type === 'TIMESTAMP') return written(value);
  return type === 'DATETIME' ? written(value).replace(/(?:\.000000)?Z$/, '') : value;
}
