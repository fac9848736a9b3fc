/** Scalar types of the dialect. `JSON` is also the type of every nested, context-typed value (googlesql.md, section 2). */
export type ScalarTypeName =
  | 'INT64'
  | 'FLOAT64'
  | 'BOOL'
  | 'STRING'
  | 'BYTES'
  | 'TIMESTAMP'
  | 'DATETIME'
  | 'DATE'
  | 'TIME'
  | 'INTERVAL'
  | 'JSON';

export interface StructField {
  /** Empty for an unnamed field. */
  readonly name: string;
  readonly type: SqlType;
}

export type SqlType =
  | { readonly kind: ScalarTypeName; readonly isNested?: true }
  /** The type of a NULL literal and of the elements of `[]`, which fits every type. */
  | { readonly kind: 'NULL' }
  | { readonly kind: 'ARRAY'; readonly element: SqlType }
  | { readonly kind: 'STRUCT'; readonly fields: readonly StructField[] };

const scalar = (kind: ScalarTypeName): SqlType => Object.freeze({ kind });

export const INT64 = scalar('INT64');
export const FLOAT64 = scalar('FLOAT64');
/**
 * A FLOAT64 computed from nested values. The values may be integers, so it also fits INT64 arguments, like a nested value.
 */
export const NESTED_NUMBER: SqlType = Object.freeze({ kind: 'FLOAT64', isNested: true });
export const BOOL = scalar('BOOL');
export const STRING = scalar('STRING');
export const BYTES = scalar('BYTES');
export const TIMESTAMP = scalar('TIMESTAMP');
export const DATETIME = scalar('DATETIME');
export const DATE = scalar('DATE');
export const TIME = scalar('TIME');
export const INTERVAL = scalar('INTERVAL');
export const JSON_TYPE = scalar('JSON');
/** JSON read from events: JSON functions also parse a string in it (googlesql.md, section 2). */
export const NESTED_JSON: SqlType = Object.freeze({ kind: 'JSON', isNested: true });
export const NULL_TYPE: SqlType = Object.freeze({ kind: 'NULL' });
export const arrayOf = (element: SqlType): SqlType => ({ kind: 'ARRAY', element });
export const structOf = (fields: readonly StructField[]): SqlType => ({ kind: 'STRUCT', fields });

export function sameType(a: SqlType, b: SqlType): boolean {
  if (a.kind === 'ARRAY' && b.kind === 'ARRAY') return sameType(a.element, b.element);
  if (a.kind === 'STRUCT' && b.kind === 'STRUCT') {
    return (
      a.fields.length === b.fields.length &&
      a.fields.every((field, i) => {
        const other = b.fields[i];
        return other !== undefined && sameType(field.type, other.type);
      })
    );
  }
  return a.kind === b.kind;
}

/** The type as GoogleSQL writes it: `ARRAY<STRING>`, `STRUCT<a INT64>`. */
export function typeName(type: SqlType): string {
  if (type.kind === 'ARRAY') return `ARRAY<${typeName(type.element)}>`;
  if (type.kind === 'STRUCT') {
    return `STRUCT<${type.fields.map((f) => (f.name === '' ? typeName(f.type) : `${f.name} ${typeName(f.type)}`)).join(', ')}>`;
  }
  return type.kind;
}
