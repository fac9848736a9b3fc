import type { CallerTable } from '../../googlesql/callerTables.ts';
import { typeName } from '../../googlesql/types.ts';
import type { ColumnOrigins, Redactor } from '../../redact/createRedactor.ts';
import type { ScalarValue } from './frequentValues.ts';
import { type MemberStep, namesOf, pathText } from './memberPath.ts';
import type { TalliedMember } from './memberTally.ts';
import type { TableSample } from './sampleTable.ts';

/** A place in the list: tables in the order of the stored query, then paths. */
export interface FieldPosition {
  readonly table: string;
  readonly path: readonly MemberStep[];
}

/** A column of a table, or a member of the JSON in it. */
export interface Field extends FieldPosition {
  /** `table.path`, as queries write it. */
  readonly text: string;
  /** The type of the column, or the types of values that the member has. */
  readonly types: readonly string[];
  /** Rows of the table that have it; estimated if only some rows were read. */
  readonly rows: number;
  /** Their share of all rows, 0 to 1. */
  readonly share: number;
  /** Approximate number of distinct scalar values, after redaction, in the rows that were read. */
  readonly distinct: number;
  /** The most frequent scalar values, redacted, and their share of the scalar values of the field. */
  readonly values: readonly { readonly value: ScalarValue; readonly share: number }[];
  /** Whether its name says that it is personal. Such a field has no `values`. */
  readonly isPersonal: boolean;
  /** Microseconds since 1970; null if rows have no time, or none has the field. */
  readonly firstMicros: number | null;
  readonly lastMicros: number | null;
}

/** A table that was read for a page of fields. */
export interface ReadTable
  extends Pick<TableSample, 'rows' | 'rowsRead' | 'firstMicros' | 'lastMicros' | 'hasLeftOut'> {
  readonly name: string;
}

/** Describes a member that a sample of the table found. */
export function fieldOf(member: TalliedMember, table: CallerTable, sample: TableSample, redactor: Redactor): Field {
  const isPersonal = isPersonalPath(member.path, sample.origins, redactor);
  return {
    table: table.name,
    path: member.path,
    text: pathText([table.name, ...member.path]),
    types: typesOf(member, table),
    rows: Math.round(member.weight),
    share: sample.rows === 0 ? 0 : Math.min(1, member.weight / sample.rows),
    distinct: member.distinct,
    values: isPersonal
      ? []
      : member.values.map(({ value, weight }) => ({ value, share: weight / member.valuesWeight })),
    isPersonal,
    firstMicros: member.firstMicros,
    lastMicros: member.lastMicros,
  };
}

/** A typed column has its type; a member of JSON has the types of its values. */
function typesOf(member: TalliedMember, { columns }: CallerTable): readonly string[] {
  const [name, ...below] = member.path;
  const type = below.length === 0 ? columns.find((column) => column.name === name)?.type : undefined;
  return type === undefined || type.kind === 'JSON' ? member.types : [typeName(type)];
}

/** Whether a name on the path, or on the path that the column was read from, says that the values are personal. */
function isPersonalPath(path: readonly MemberStep[], origins: ColumnOrigins, redactor: Redactor): boolean {
  const names = namesOf(path);
  if (redactor.isPersonal(names)) return true;
  const [column = '', ...below] = names;
  return (origins.get(column)?.paths ?? []).some((origin) => redactor.isPersonal([...origin, ...below]));
}
