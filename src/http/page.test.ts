import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { pageOf, pageOptions, readPage } from './page.ts';
import { urlOptions } from './urlOptions.ts';

const position = z.tuple([z.number(), z.string()]);

describe('a page of a list', () => {
  it('has a cursor of the next page, except the last page', () => {
    const all = Array.from({ length: 7 }, (_, i) => ({ at: i, id: `ü${i}` }));
    const seen: unknown[] = [];
    let query = 'limit=3';
    for (let rounds = 0; rounds < 10; rounds++) {
      const { limit, after } = readPage(urlOptions(query, pageOptions), position);
      const rest = all.filter(({ at }) => after === null || at > after[0]);
      const { result, next } = pageOf(rest.slice(0, limit + 1), limit, ({ at, id }) => [at, id]);
      seen.push(result.length);
      if (next === null) break;
      expect(next).toMatch(/^[A-Za-z0-9_-]+$/);
      query = `cursor=${next}&limit=3`;
    }
    expect(seen).toEqual([3, 3, 1]);
  });

  it('has 100 items by default', () => {
    expect(readPage(new Map(), position)).toEqual({ limit: 100, after: null });
    expect(readPage(new Map([['limit', '1000']]), position).limit).toBe(1000);
  });

  it.each([
    'limit=0',
    'limit=1001',
    'limit=-1',
    'limit=1e2',
    'limit=x',
    'limit=1&limit=1',
    'limit=',
    'cursor=',
    'cursor=x',
    'cursor=%00',
    `cursor=${Buffer.from('[1]').toString('base64url')}`,
    `cursor=${Buffer.from('["1","a"]').toString('base64url')}`,
    `cursor=${Buffer.from('{}').toString('base64url')}`,
  ])('refuses %s', (query) => {
    expect(() => readPage(urlOptions(query, pageOptions), position)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
