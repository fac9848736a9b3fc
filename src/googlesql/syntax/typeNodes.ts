import type { Identifier } from './expressionNodes.ts';
import type { Spanned } from './position.ts';

/**
 * A type name in upper case with single spaces: `INT64`, and after `::` also `DOUBLE PRECISION` or `TIMESTAMP WITH TIME
 * ZONE`. The resolver checks that it exists. `parameters` are those of `STRING(10)`.
 */
export interface NamedType extends Spanned {
  readonly kind: 'NamedType';
  readonly name: string;
  readonly parameters: readonly bigint[];
}

/** `ARRAY<T>`, and `T[]` after `::`. */
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
