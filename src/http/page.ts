import type { z } from 'zod';
import { ServiceError } from '../core/errors.ts';
import { parseUrlEncoded } from './queryString.ts';

const limitDefault = 100;
const limitMax = 1000;

/** Which part of a list a request asks for. */
export interface PageRequest<Position> {
  readonly limit: number;
  /** The position of the last item of the page before; null for the first page. */
  readonly after: Position | null;
  /** The parameters that are not of the page, in order; no name twice. */
  readonly others: ReadonlyMap<string, string>;
}

/** The body of a list: one page, and the cursor of the next one, or null where this is the last. */
export interface Page<Item> {
  readonly result: readonly Item[];
  readonly next: string | null;
}

/**
 * Reads `?limit=` (1 to 1000, 100 where left out) and `?cursor=` (`next` of the page before). Throws
 * `parameter.invalid` and `parameter.duplicate`.
 *
 * @param position what a cursor of this list holds; it comes from outside and is checked
 */
export function readPage<Position>(rawQuery: string, position: z.ZodType<Position>): PageRequest<Position> {
  const given = new Map<string, string>();
  for (const [name, value] of parseUrlEncoded(rawQuery, 'query string')) {
    if (given.has(name)) {
      const parameter = name.slice(0, 64);
      throw new ServiceError('parameter.duplicate', `The parameter ${parameter} is given more than once.`, {
        errors: [{ parameter }],
      });
    }
    given.set(name, value);
  }
  const limit = limitOf(given.get('limit') ?? '');
  const after = positionOf(given.get('cursor') ?? '', position);
  given.delete('limit');
  given.delete('cursor');
  return { limit, after, others: given };
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
  if (text === '') return limitDefault;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= limitMax) return limit;
  const value = text.slice(0, 64);
  throw new ServiceError('parameter.invalid', `The parameter limit is "${value}"; it is 1 to ${limitMax}.`, {
    errors: [{ parameter: 'limit', value, expected: `1 to ${limitMax}` }],
  });
}

function positionOf<Position>(cursor: string, position: z.ZodType<Position>): Position | null {
  if (cursor === '') return null;
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
