import { assertNever } from '../../core/assertNever.ts';
import type { TypeNode } from './nodes.ts';
import { printIdentifier } from './printText.ts';

/** `ARRAY<STRUCT<a INT64, STRING(10)>>`. */
export function printType(type: TypeNode): string {
  switch (type.kind) {
    case 'NamedType':
      return type.parameters.length === 0 ? type.name : `${type.name}(${type.parameters.join(', ')})`;
    case 'ArrayType':
      return `ARRAY<${printType(type.element)}>`;
    case 'StructType': {
      const fields = type.fields.map(({ name, type: fieldType }) =>
        name === undefined ? printType(fieldType) : `${printIdentifier(name)} ${printType(fieldType)}`,
      );
      return `STRUCT<${fields.join(', ')}>`;
    }
    default:
      return assertNever(type);
  }
}
