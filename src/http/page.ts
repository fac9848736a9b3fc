import type * as z from 'zod';
import { ServiceError } from '../core/errors.ts';
import type { UrlOptions } from './urlOptions.ts';

/** Items of a page. */
export const pageItems = { default: 100, max: 1000 } as const;

/** URL parameters of every paged list. */
export const pageOptions = ['limit', 'cursor'] as const;

/** The part of a list that a request asks for. */
export interface PageRequest<Position> {
  readonly limit: number;
  /** Position of the last item of the previous page; null for the first page. */
  readonly after: Position | null;
}

/** One page of a list, and the cursor of the next page; null on the last page. */
export interface Page<Item> {
  readonly result: readonly Item[];
  readonly next: string | null;
}

/**
 * Reads `?limit=` (1 to 1000, default 100) and `?cursor=` (`next` of the previous page). Throws `parameter.invalid`.
 *
 * @param position the schema of this list's cursors, which callers can forge
 */
export function readPage<Position>(options: UrlOptions, position: z.ZodType<Position>): PageRequest<Position> {
  const [limit, cursor] = [options.get('limit'), options.get('cursor')];
  return {
    limit: limit === undefined ? pageItems.default : limitOf(limit),
    after: cursor === undefined ? null : positionOf(cursor, position),
  };
}

/**
 * Makes a page from up to `limit + 1` items. The extra item shows that there is a next page.
 *
 * @param items at most `limit + 1`, in the order of the list
 */
export function pageOf<Item>(items: readonly Item[], limit: number, position: (item: Item) => unknown): Page<Item> {
  const result = items.slice(0, limit);
  const last = items.length > limit ? result.at(-1) : undefined;
  return {
    result,
    next: last === undefined ? null : Buffer.from(JSON.stringify(position(last))).toString('base64url'),
  };
}

function limitOf(text: string): number {
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= pageItems.max) return limit;
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter limit is "${value}"; it must be 1 to ${pageItems.max}.`, {
    errors: [{ parameter: 'limit', value, expected: `1 to ${pageItems.max}` }],
  });
}

function positionOf<Position>(cursor: string, position: z.ZodType<Position>): Position {
  const parsed = position.safeParse(jsonOf(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'parameter.invalid',
    'The parameter cursor is not a cursor of this list; send `next` of the previous page unchanged.',
    { errors: [{ parameter: 'cursor', value: cursor.slice(0, 64) }] },
  );
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
