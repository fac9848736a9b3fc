import type { ErrorCode } from '../../core/errorCatalogue.ts';
import { type ErrorItem, ServiceError } from '../../core/errors.ts';
import type { Position } from '../syntax/nodes.ts';

/**
 * An error at a place in the query text. `sentence` says what is wrong without the place; allowed
 * names and the nearest one belong into `item`.
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
