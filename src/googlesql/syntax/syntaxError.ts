import type { ErrorCode } from '../../core/errorCatalogue.ts';
import { ServiceError } from '../../core/errors.ts';
import type { Position } from './position.ts';

/** The longest part of the caller's text that an error repeats. */
const shownCharsMax = 40;

export interface SyntaxErrorDetails {
  readonly pos: Position;
  /** The offending text as written; empty at the end of the query. */
  readonly token: string;
  /** Completes "Expecting …". */
  readonly expected: string;
  readonly nearest?: string | undefined;
  /** A whole sentence that says what to do instead. */
  readonly advice?: string | undefined;
}

/** Makes a `sql.syntax` error: "Expecting X; got Y at line L, column C." */
export function syntaxError({ pos, token, expected, nearest, advice }: SyntaxErrorDetails): ServiceError {
  const got = token === '' ? 'the end of the query' : shown(token);
  const sentences = [`Expecting ${expected}; got ${got} at line ${pos.line}, column ${pos.column}.`];
  if (nearest !== undefined) sentences.push(`Did you mean ${nearest}?`);
  if (advice !== undefined) sentences.push(advice);
  return refusal('sql.syntax', sentences.join(' '), pos, token, expected, nearest);
}

/** Makes an error with another code; the position is added at the end of the sentence. */
export function refusalAt(
  code: ErrorCode,
  sentence: string,
  pos: Position,
  token: string,
  expected?: string,
): ServiceError {
  const place = `(line ${pos.line}, column ${pos.column})`;
  return refusal(code, `${sentence.replace(/\.$/, '')} ${place}.`, pos, token, expected, undefined);
}

function refusal(
  code: ErrorCode,
  message: string,
  pos: Position,
  token: string,
  expected: string | undefined,
  nearest: string | undefined,
): ServiceError {
  return new ServiceError(code, message, {
    errors: [
      {
        line: pos.line,
        column: pos.column,
        token: cut(token),
        ...(expected === undefined ? {} : { expected }),
        ...(nearest === undefined ? {} : { nearest }),
      },
    ],
  });
}

/** The text in backticks, or in double quotes if it contains backticks. */
export function shown(text: string): string {
  const short = cut(text);
  return short.includes('`') ? `"${short}"` : `\`${short}\``;
}

/** The text, or its beginning with an ellipsis. */
export function cut(text: string): string {
  if (text.length <= shownCharsMax) return text;
  // Do not cut a surrogate pair in half.
  return `${text.slice(0, shownCharsMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
