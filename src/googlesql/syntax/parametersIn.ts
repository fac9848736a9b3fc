import { ServiceError } from '../../core/errors.ts';
import { tokenize } from './lexer.ts';
import { LineMap } from './lineMap.ts';
import { NoticeList } from './notice.ts';

/** A parameter of a query and where it stands first; line and column count from 1. */
export interface ParameterInText {
  readonly name: string;
  readonly line: number;
  readonly column: number;
}

/** The `@name`s of a text in their order, whether or not it is a query; none of a text that has no tokens. */
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
    // Whoever compiles the text tells what is wrong with it.
    if (error instanceof ServiceError) return [];
    throw error;
  }
  return [...found.values()];
}
