import { assertNever } from '../../../core/assertNever.ts';
import { memberNames } from '../../../googlesql/memberNames.ts';
import type { SqlType } from '../../../googlesql/types.ts';
import { quoteIdentifier, quoteText } from '../sqlText.ts';

/**
 * The list of a SELECT that gives texts, one column each (`c0`, `c1`, …), their types and names. Texts of another form than
 * their type become NULL; nothing fails on a value.
 */
export function parquetSelect(columns: readonly { readonly name: string; readonly type: SqlType }[]): string {
  return columns.map(({ name, type }, i) => `${columnSql(`c${i}`, type)} AS ${quoteIdentifier(name)}`).join(', ');
}

/** Whether texts of the column are JSON documents, which the engine takes apart. */
export function isTakenApart(type: SqlType): boolean {
  return (type.kind === 'ARRAY' || type.kind === 'STRUCT') && !isOpaque(type);
}

/** The engine's name of a type in Parquet. */
function parquetType(type: SqlType): string {
  if (isOpaque(type)) return 'VARCHAR';
  switch (type.kind) {
    case 'INT64':
      return 'BIGINT';
    case 'FLOAT64':
      return 'DOUBLE';
    case 'BOOL':
      return 'BOOLEAN';
    case 'TIMESTAMP':
      return 'TIMESTAMPTZ';
    case 'DATETIME':
      return 'TIMESTAMP';
    case 'DATE':
    case 'TIME':
      return type.kind;
    case 'BYTES':
      return 'BLOB';
    case 'STRING':
    case 'INTERVAL':
    case 'JSON':
    case 'NULL':
      return 'VARCHAR';
    case 'ARRAY':
      return `${parquetType(type.element)}[]`;
    case 'STRUCT':
      return `STRUCT(${membersOf(type, parquetType).join(', ')})`;
    default:
      return assertNever(type);
  }
}

function columnSql(text: string, type: SqlType): string {
  if (!isTakenApart(type)) return valueSql(text, type);
  return valueSql(`json_transform(${text}, ${quoteText(JSON.stringify(structureOf(type)))})`, type);
}

/** The value of a text, or of lists and structs of texts. */
function valueSql(value: string, type: SqlType, depth = 0): string {
  if (isOpaque(type)) return `CAST(${value} AS VARCHAR)`;
  if (!hasBytes(type)) return `TRY_CAST(${value} AS ${parquetType(type)})`;
  if (type.kind === 'ARRAY') {
    const each = `e${depth}`;
    return `list_transform(${value}, lambda ${each}: ${valueSql(each, type.element, depth + 1)})`;
  }
  if (type.kind === 'STRUCT') {
    const names = memberNames(type.fields);
    const members = type.fields.map((field, i) => {
      const name = names[i] ?? '';
      return `${quoteIdentifier(name)} := ${valueSql(`struct_extract(${value}, ${quoteText(name)})`, field.type, depth)}`;
    });
    return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${members.join(', ')}) END`;
  }
  // The mark of a redaction is not base64.
  return `CASE WHEN regexp_full_match(${value}, '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?') THEN from_base64(${value}) END`;
}

function hasBytes(type: SqlType): boolean {
  if (isOpaque(type)) return false;
  if (type.kind === 'ARRAY') return hasBytes(type.element);
  if (type.kind === 'STRUCT') return type.fields.some((field) => hasBytes(field.type));
  return type.kind === 'BYTES';
}

/** Of `json_transform`: every scalar stays a text, because its own conversions fail on some values. */
function structureOf(type: SqlType): unknown {
  if (isOpaque(type) || type.kind === 'JSON') return 'JSON';
  if (type.kind === 'ARRAY') return [structureOf(type.element)];
  if (type.kind !== 'STRUCT') return 'VARCHAR';
  const names = memberNames(type.fields);
  return Object.fromEntries(type.fields.map((field, i) => [names[i] ?? '', structureOf(field.type)]));
}

function membersOf(
  type: Extract<SqlType, { readonly kind: 'STRUCT' }>,
  of: (type: SqlType) => string,
): readonly string[] {
  const names = memberNames(type.fields);
  return type.fields.map((field, i) => `${quoteIdentifier(names[i] ?? '')} ${of(field.type)}`);
}

/** Structs that the engine cannot have, because it ignores case in the names of members. They stay JSON. */
function isOpaque(type: SqlType): boolean {
  if (type.kind !== 'STRUCT') return false;
  const names = new Set(memberNames(type.fields).map((name) => name.toLowerCase()));
  return type.fields.length === 0 || names.size < type.fields.length;
}
