import type { SqlType } from '../types.ts';

/** The size of a type, written out. */
export interface TypeMeasure {
  /** Values in it: 1 for a scalar, otherwise 1 and those of all fields or of the element. */
  readonly values: number;
  /** Depth of nested STRUCTs. */
  readonly depth: number;
  /** Depth of nested ARRAYs. */
  readonly arrays: number;
}

const scalar: TypeMeasure = { values: 1, depth: 0, arrays: 0 };
const measured = new WeakMap<SqlType, TypeMeasure>();

/** Measures a type. Each STRUCT is measured once: STRUCTs of STRUCTs share their types, so a short text can stand for a type too large to walk. */
export function measureType(type: SqlType): TypeMeasure {
  if (type.kind !== 'STRUCT' && type.kind !== 'ARRAY') return scalar;
  const known = measured.get(type);
  if (known !== undefined) return known;
  const parts = type.kind === 'ARRAY' ? [type.element] : type.fields.map((field) => field.type);
  let values = 1;
  let depth = 0;
  let arrays = 0;
  for (const part of parts) {
    const below = measureType(part);
    values += below.values;
    depth = Math.max(depth, below.depth);
    arrays = Math.max(arrays, below.arrays);
  }
  const isArray = type.kind === 'ARRAY';
  const found = { values, depth: depth + (isArray ? 0 : 1), arrays: arrays + (isArray ? 1 : 0) };
  measured.set(type, found);
  return found;
}
