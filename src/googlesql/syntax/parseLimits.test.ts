import { describe, expect, it } from 'vitest';
import { processorMs } from '../../../test/support/processorTime.ts';
import { defaultParseLimits } from './parseLimits.ts';
import { parseQuery } from './parser.ts';
import { printQuery } from './printer.ts';
import { refusalOf } from './testing/expectations.ts';

const fill = (start: string, piece: string, end = '') => {
  const room = defaultParseLimits.bytesMax - start.length - end.length;
  return start + piece.repeat(Math.floor(room / piece.length)) + end;
};

describe('a text of the full size that nests or chains without end is refused', () => {
  it.each([
    ['parentheses', fill('select ', '(')],
    ['closed parentheses', `select ${'('.repeat(30_000)}1${')'.repeat(30_000)}`],
    ['not', fill('select ', 'not ', 'x')],
    ['minus signs', fill('select ', '- ', '1')],
    ['tildes', fill('select ', '~', '1')],
    ['case', fill('select ', 'case ')],
    ['case when', fill('select ', 'case when ')],
    ['else case', fill('select ', 'case when a then b else ')],
    ['brackets', fill('select ', '[')],
    ['subscripts', fill('select a', '[0]')],
    ['nested subscripts', fill('select a', '[a')],
    ['scalar subqueries', fill('', 'select (')],
    ['subqueries in FROM', fill('', 'select * from (')],
    ['subqueries in IN', fill('', 'select 1 where a in (')],
    ['parentheses in IN', fill('select 1 where a in ', '(')],
    ['exists', fill('', 'select exists(')],
    ['WITH in WITH', fill('', 'with a as (')],
    ['array subqueries', fill('', 'select array(')],
    ['calls', fill('select ', 'f(')],
    ['interval', fill('select ', 'interval ')],
    ['cast', fill('select ', 'cast(')],
    ['extract', fill('select ', 'extract(day from ')],
    ['struct', fill('select ', 'struct(')],
    ['array types', fill('select cast(a as ', 'array<')],
    ['struct types', fill('select a::', 'struct<a ')],
    ['parentheses in FROM', fill('select 1 from ', '(')],
    ['parentheses as query', fill('', '(')],
    ['windows', fill('select ', 'f() over (order by ')],
    ['between', fill('select ', 'a between (')],
    ['plus', fill('select a', '+a')],
    ['concatenation', fill("select ''", "||''")],
    ['field access', fill('select a', '.a')],
    ['field access on a call', fill('select f()', '.a')],
    ['casts', fill('select a', '::int64')],
    ['array types behind casts', fill('select a::a', '[]')],
    ['commas in FROM', fill('select 1 from a', ',a')],
    ['joins', fill('select 1 from a', ' join a on x')],
    ['joins with conditions behind', `select 1 from a${' join a'.repeat(5_000)}${' on x'.repeat(5_000)}`],
    ['pipes inside pipes', fill('', 'from t |> where exists(')],
  ])('%s', (_name, text) => {
    const tookMs = processorMs(() => expect(refusalOf(text).code).toBe('sql.too_complex'));
    // Far above what it takes, far below what a quadratic pass would.
    expect(tookMs).toBeLessThan(1000);
  });

  it('also where the chain hides in the first operand of another, many times', () => {
    let text = '1';
    for (let level = 0; level < 60; level++) text = `(${text}${'+a'.repeat(250)})`;
    expect(refusalOf(`select ${text}`).code).toBe('sql.too_complex');
  });
});

describe('what is long but flat is fine, for the parser and for passes that recurse', () => {
  it.each([
    ['or', `select ${'x or '.repeat(5_000)}x`],
    ['and', `select 1 where ${'x = 1 and '.repeat(2_500)}true`],
    ['in', `select a in (${'1,'.repeat(11_000)}1)`],
    ['select list', `select ${'a,'.repeat(3_500)}`],
    ['case branches', `select case ${'when a then 1 '.repeat(2_500)}end`],
    ['union', `select 1${' union all select 1'.repeat(499)}`],
    ['pipes', `from t${' |> where x'.repeat(3_500)}`],
    ['a string', `select '${'x'.repeat(60_000)}'`],
    ['a comment', `select 1 /*${'*'.repeat(60_000)}*/`],
  ])('%s', (_name, text) => {
    expect(printQuery(parseQuery(text).query).length).toBeGreaterThan(0);
  });

  it('ninety levels of parentheses and of calls, thirty of subqueries', () => {
    expect(() => parseQuery(`select ${'('.repeat(90)}1${')'.repeat(90)}`)).not.toThrow();
    expect(() => parseQuery(`select ${'f('.repeat(90)}1${')'.repeat(90)}`)).not.toThrow();
    expect(() => parseQuery(`${'select * from ('.repeat(30)}select 1${')'.repeat(30)}`)).not.toThrow();
    expect(() => parseQuery(`${'select ('.repeat(30)}select 1${')'.repeat(30)}`)).not.toThrow();
  });

  it('a hundred joins and two hundred operators in a row', () => {
    expect(() => parseQuery(`select 1 from a${' join b using (id)'.repeat(100)}`)).not.toThrow();
    expect(() => parseQuery(`select a${' || a'.repeat(200)}`)).not.toThrow();
  });
});

describe('each limit can be set and says itself', () => {
  it('bytes are counted in UTF-8', () => {
    expect(refusalOf("select 'éé'", { bytesMax: 12 }).message).toBe(
      'The query text is longer than the allowed 12 bytes.',
    );
    expect(() => parseQuery("select 'éé'", { bytesMax: 13 })).not.toThrow();
  });

  it('nodes', () => {
    // Query, Select, and three select items of a name of an identifier each.
    const text = 'select a, b, c';
    expect(() => parseQuery(text, { nodesMax: 11 })).not.toThrow();
    const error = refusalOf(text, { nodesMax: 10 });
    expect([error.code, error.errors[0]?.expected]).toEqual(['sql.too_complex', 'at most 10 syntax nodes']);
  });

  it('SELECTs, wherever they stand', () => {
    const text = 'with a as (from t) select (select 1) from a union all select 2';
    expect(() => parseQuery(text, { selectsMax: 4 })).not.toThrow();
    const error = refusalOf(text, { selectsMax: 3 });
    expect([error.code, error.errors[0]?.expected]).toEqual(['sql.too_complex', 'at most 3 SELECTs']);
  });

  it('depth', () => {
    expect(() => parseQuery('select ((1))', { depthMax: 4 })).not.toThrow();
    const error = refusalOf('select ((1))', { depthMax: 3 });
    expect([error.code, error.errors[0]?.expected, error.errors[0]?.column]).toEqual([
      'sql.too_complex',
      'at most 3 levels',
      10,
    ]);
  });

  it('height', () => {
    // Query, Select, SelectExpression, two Binary, Name, Identifier.
    expect(() => parseQuery('select a + b + c', { heightMax: 7 })).not.toThrow();
    expect(refusalOf('select a + b + c', { heightMax: 6 }).code).toBe('sql.too_complex');
  });
});
