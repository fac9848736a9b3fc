import type { SqlType } from '../types.ts';

/** Whether values of a type can be grouping keys: arrays have no equality, structs have that of their fields. */
export const isGroupable = (type: SqlType): boolean =>
  type.kind === 'STRUCT' ? type.fields.every((field) => isGroupable(field.type)) : type.kind !== 'ARRAY';
