import { ServiceError } from '../../core/errors.ts';
import { tokenize } from './lexer.ts';
import { LineMap } from './lineMap.ts';
import { NoticeList } from './notice.ts';

/** A parameter of a query, and its first position; line and column count from 1. */
export interface ParameterInText {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** The `@name`s in a text, in order, even if it is not a valid query; none if it cannot be tokenized. */
export function parametersIn(text: string): readonly ParameterInText[] {
  const lines = new LineMap(text);
  const found = new Map<string, ParameterInText>();
  try {
    for (const { kind, value, offset } of tokenize(text, lines, new NoticeList())) {
      const key = value.toLowerCase();
      if (kind !== 'parameter' || found.has(key)) continue;
      const { line, column } = lines.position(offset);
      found.set(key, { name: value, line, column });
    }
  } catch (error) {
    // Compiling the text will report the error.
    if (error instanceof ServiceError) return [];
    throw error;
  }
  return [...found.values()];
}
