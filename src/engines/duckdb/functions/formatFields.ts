import { type FormatVerb, writtenTypes } from '../../../googlesql/functions/formatText.ts';
import type { SqlType } from '../../../googlesql/types.ts';

/**
 * The texts that the verbs of FORMAT write for a value: the digits of an INT64 or FLOAT64, a STRING, JSON, and the
 * value in the form of %t and %T.
 */
export type FormatField = 'whole' | 'number' | 'text' | 'json' | 'plain' | 'literal';

/** The fields of a value of this type, in order. */
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
