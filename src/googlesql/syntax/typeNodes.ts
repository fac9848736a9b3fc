import type { Identifier } from './expressionNodes.ts';
import type { Spanned } from './position.ts';

/**
 * A type by its name, upper case, words of one space apart: `INT64`, and behind `::` also `DOUBLE PRECISION`,
 * `TIMESTAMP WITH TIME ZONE`. Whether it exists is the resolver's business. `parameters` are those of `STRING(10)`.
 */
export interface NamedType extends Spanned {
  readonly kind: 'NamedType';
  readonly name: string;
  readonly parameters: readonly bigint[];
}

/** `ARRAY<T>`, and `T[]` behind `::`. */
export interface ArrayType extends Spanned {
  readonly kind: 'ArrayType';
  readonly element: TypeNode;
}

export interface StructTypeField extends Spanned {
  readonly kind: 'StructTypeField';
  readonly name: Identifier | undefined;
  readonly type: TypeNode;
}

export interface StructType extends Spanned {
  readonly kind: 'StructType';
  readonly fields: readonly StructTypeField[];
}

export type TypeNode = NamedType | ArrayType | StructType;
