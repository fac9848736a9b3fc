import type { ErrorCode } from '../../core/errorCatalogue.ts';
import { type ErrorItem, ServiceError } from '../../core/errors.ts';
import type { Position } from '../syntax/nodes.ts';

/**
 * Makes an error at a position in the query text. `sentence` says what is wrong, without the position and a final period;
 * `item` holds the allowed names and the nearest one.
 */
export function sqlError(
  code: ErrorCode,
  sentence: string,
  pos: Position,
  item: Pick<ErrorItem, 'token' | 'allowed' | 'nearest' | 'expected' | 'rule'> = {},
): ServiceError {
  const hint = item.nearest === undefined ? '' : ` Did you mean ${item.nearest}?`;
  return new ServiceError(code, `${sentence} (line ${pos.line}, column ${pos.column}).${hint}`, {
    errors: [{ line: pos.line, column: pos.column, ...item, message: `${sentence}.${hint}` }],
  });
}
