import type { TextPlace } from './textPlace.ts';

export type JsonProblem = 'syntax' | 'depth' | 'duplicate_key';

/** A text is not JSON, or exceeds the limits. Line and column of the problem are not known yet. */
export class JsonFault extends Error {
  readonly problem: JsonProblem;
  /** From 0, in UTF-16 code units of the text. */
  readonly offset: number;

  /** The message is the problem without its place. */
  constructor(problem: JsonProblem, reason: string, offset: number) {
    super(reason);
    this.name = 'JsonFault';
    this.problem = problem;
    this.offset = offset;
  }
}

/** The longest token of an error, in UTF-16 code units. */
export const tokenUnits = 40;

/** A text is not JSON, or exceeds the limits; with the place of the problem. */
export class JsonSyntaxError extends Error {
  readonly problem: JsonProblem;
  /** From 1; lines end at a line feed. */
  readonly line: number;
  /** From 1, in characters (code points). */
  readonly column: number;
  /** From 0, in UTF-16 code units of the text. */
  readonly offset: number;
  /** The text at that place, at most 20 characters; empty at the end of the text. */
  readonly token: string;
  /** The problem without its place. */
  readonly reason: string;

  /** `rest`: the text from the offset on, or its start. */
  constructor(problem: JsonProblem, reason: string, offset: number, { line, column }: TextPlace, rest: string) {
    super(`${reason} at line ${line}, column ${column}`);
    this.name = 'JsonSyntaxError';
    this.problem = problem;
    this.reason = reason;
    this.line = line;
    this.column = column;
    this.offset = offset;
    this.token = [...rest.slice(0, tokenUnits)].slice(0, 20).join('').split('\n', 1)[0] ?? '';
  }
}
