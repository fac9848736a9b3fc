import { describe, expect, it } from 'vitest';
import { parseLql } from './parse.ts';
import { wordsLikeFilters } from './wordsLikeFilters.ts';

const told = (text: string) => wordsLikeFilters(parseLql(text), text);

describe('words that look like filters', () => {
  it.each([
    ['m.response.status_code>=500', 1, 'm.response.status_code:>=500'],
    ['x m.request.method=GET', 3, 'm.request.method:GET'],
    ['m.request.method!=GET', 1, '-m.request.method:GET'],
    ['m.request.path=~/rest', 1, 'm.request.path:~"…"'],
    ['status_code>499', 1, 'status_code:>499'],
    ['GET OR POST', 5, 'has no OR'],
    ['a AND b', 3, 'remove the word'],
    ['NOT b', 1, 'hyphen'],
    ['a || b', 3, 'has no OR'],
    ['5xx', 1, 'm.response.status_code:500..599'],
    ['-4XX', 2, 'm.response.status_code:400..499'],
  ])('%s', (text, column, advice) => {
    expect(told(text)).toEqual([
      { code: 'lql.word_like_filter', message: expect.stringContaining(advice), line: 1, column },
    ]);
  });

  it.each([
    '"m.response.status_code>=500"',
    '-"5xx"',
    '~5xx',
    'error or not',
    'level=error',
    'a-b',
    '<html>',
    '=>',
    'm.a:5xx',
    'xx',
  ])('is nothing to be told of: %s', (text) => {
    expect(told(text)).toEqual([]);
  });
});
