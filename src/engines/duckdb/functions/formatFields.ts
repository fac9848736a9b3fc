import { type FormatVerb, writtenTypes } from '../../../googlesql/functions/formatText.ts';
import type { SqlType } from '../../../googlesql/types.ts';

/**
 * What the verbs of FORMAT write of a value, each as text: the digits of an INT64 or FLOAT64, a STRING, JSON, and the
 * value as %t and as %T write it.
 */
export type FormatField = 'whole' | 'number' | 'text' | 'json' | 'plain' | 'literal';

/** The fields that a value of a type has, in their order. */
export function formatFields(type: SqlType): readonly FormatField[] {
  switch (type.kind) {
    case 'NULL':
      return [];
    case 'INT64':
      return ['whole', 'plain', 'literal'];
    case 'FLOAT64':
      return type.isNested === true ? ['whole', 'number', 'plain', 'literal'] : ['number', 'plain', 'literal'];
    case 'STRING':
      return ['text', 'plain', 'literal'];
    case 'JSON':
      return ['whole', 'number', 'text', 'json', 'plain', 'literal'];
    default:
      return ['plain', 'literal'];
  }
}

const fieldsByType = { INT64: 'whole', FLOAT64: 'number', STRING: 'text', JSON: 'json' } as const;

/** The field that a verb writes. */
export function fieldOf(verb: FormatVerb): FormatField {
  const written = writtenTypes[verb];
  if (written !== undefined) return fieldsByType[written];
  return verb === 't' ? 'plain' : 'literal';
}
