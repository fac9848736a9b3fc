import { ServiceError } from '../core/errors.ts';
import type { Position } from '../googlesql/syntax/nodes.ts';
import { cut, shown } from '../googlesql/syntax/syntaxError.ts';

export interface LqlSyntaxErrorDetails {
  readonly pos: Position;
  /** The offending text as written; empty at the end of the query. */
  readonly token: string;
  /** Completes "Expecting …". */
  readonly expected: string;
  /** A whole sentence that says what to do instead. */
  readonly advice?: string | undefined;
  readonly allowed?: readonly string[];
  readonly nearest?: string | undefined;
}

/** Makes a `lql.syntax` error: "Expecting X; got Y at line L, column C." */
export function lqlSyntaxError(details: LqlSyntaxErrorDetails): ServiceError {
  const { pos, token, expected, advice, allowed, nearest } = details;
  const got = token === '' ? 'the end of the query' : shown(token);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const behind = advice === undefined ? '' : ` ${advice}`;
  const message = `Expecting ${expected}; got ${got} at line ${pos.line}, column ${pos.column}.${hint}${behind}`;
  return new ServiceError('lql.syntax', message, {
    errors: [
      {
        line: pos.line,
        column: pos.column,
        token: cut(token),
        expected,
        ...(allowed === undefined ? {} : { allowed }),
        ...(nearest === undefined ? {} : { nearest }),
      },
    ],
  });
}
