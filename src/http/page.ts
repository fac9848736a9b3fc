import type { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import type { UrlOptions } from './urlOptions.ts';

const limitDefault = 100;
const limitMax = 1000;

/** Parameters of the URL of every list that has pages. */
export const pageOptions = ['limit', 'cursor'] as const;

/** Which part of a list a request asks for. */
export interface PageRequest<Position> {
  readonly limit: number;
  /** The position of the last item of the page before; null for the first page. */
  readonly after: Position | null;
}

/** The body of a list: one page, and the cursor of the next one, or null where this is the last. */
export interface Page<Item> {
  readonly result: readonly Item[];
  readonly next: string | null;
}

/**
 * Reads `?limit=` (1 to 1000, 100 where left out) and `?cursor=` (`next` of the page before). Throws
 * `parameter.invalid`.
 *
 * @param position what a cursor of this list holds; it comes from outside and is checked
 */
export function readPage<Position>(options: UrlOptions, position: z.ZodType<Position>): PageRequest<Position> {
  const [limit, cursor] = [options.get('limit'), options.get('cursor')];
  return {
    limit: limit === undefined ? limitDefault : limitOf(limit),
    after: cursor === undefined ? null : positionOf(cursor, position),
  };
}

/**
 * A page of a list that was read up to one item beyond `limit`, so that it is known whether there is more.
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
  if (limit >= 1 && limit <= limitMax) return limit;
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter limit is "${value}"; it is 1 to ${limitMax}.`, {
    errors: [{ parameter: 'limit', value, expected: `1 to ${limitMax}` }],
  });
}

function positionOf<Position>(cursor: string, position: z.ZodType<Position>): Position {
  const parsed = position.safeParse(jsonOf(Buffer.from(cursor, 'base64url').toString()));
  if (parsed.success) return parsed.data;
  throw new ServiceError(
    'parameter.invalid',
    'The parameter cursor is none of this list; send `next` of the page before as it is.',
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
