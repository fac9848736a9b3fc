import { describe, expect, it } from 'vitest';
import { compileStored } from '../googlesql/compile.ts';
import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import { answerLimitNotice, partLimitNotice, queryLimitOf, streamLimitNotice } from './queryLimit.ts';

const rows = 'with numbers as (select v from unnest([1, 2, 3]) as v)';
const parameters: ParameterValues = new Map([['n', { kind: 'int64', value: 20n }]]);

function limitOf(
  sql: string,
  {
    isCallers = false,
    sandbox = true,
    mayAsk = true,
  }: { isCallers?: boolean; sandbox?: boolean; mayAsk?: boolean } = {},
) {
  const query = compileStored(`${rows} ${sql}`, {
    sources: new Map(),
    parameters: new Map([
      ['n', 'int64'],
      ['none', 'int64'],
    ]),
  });
  return queryLimitOf(query, {
    callerQuery: isCallers ? {} : null,
    endpoint: { sandbox },
    token: { restrictions: mayAsk ? null : { callerQueries: false } },
    parameters,
  });
}

describe('queryLimitOf', () => {
  it.each([
    ['select v from numbers', null, null],
    ['select v from numbers limit 100', 100, null],
    ['select v from numbers limit 100 offset 5', 100, null],
    ['select v from numbers limit @n', 20, 'n'],
    ['select v from numbers limit @none', null, null],
    ['select v from numbers limit @n offset 5', 20, 'n'],
    ['select v from (select v from numbers order by v limit 7)', 7, null],
    ['select v from (select v from numbers order by v limit 7) limit 100', 7, null],
    ['select v from (select v from numbers order by v limit 7) limit @n offset 1', 20, 'n'],
    ['select count(*) as c from (select v from numbers limit 7)', null, null],
    ['select v from (select v from numbers limit 7) where v > 1', null, null],
  ] as const)('%s: %s rows, by %s', (sql, count, parameter) => {
    const limit = limitOf(sql);
    expect(limit && [limit.rows, limit.parameter]).toEqual(count === null ? null : [count, parameter]);
  });
});

describe('what is said about a LIMIT', () => {
  const messageOf = (sql: string, by?: Parameters<typeof limitOf>[1]) =>
    streamLimitNotice(limitOf(sql, by), 1000)[0]?.message;
  const literal = 'select v from numbers limit 100';
  const start = 'The stored query has LIMIT 100, so the stream has at most 100 rows. For more rows, ';

  it('is what to do, of what the caller may do', () => {
    const own = 'send your own query in sql, without LIMIT or with a larger one.';
    expect(messageOf(literal)).toBe(`${start}${own}`);
    for (const by of [{ sandbox: false }, { mayAsk: false }])
      expect(messageOf(literal, by)).toBe(`${start}the LIMIT in the definition of the endpoint must be raised.`);
    const ofParameter =
      'The stored query has LIMIT @n, which is 20, so the stream has at most 20 rows. For more rows, give the parameter n a larger value';
    expect(messageOf('select v from numbers limit @n')).toBe(`${ofParameter}, or ${own}`);
    expect(messageOf('select v from numbers limit @n', { sandbox: false })).toBe(`${ofParameter}.`);
  });

  it('is nothing for a stream that its own limit ends before, and for the LIMIT of its caller', () => {
    expect(streamLimitNotice(limitOf(literal), 99)).toEqual([]);
    expect(streamLimitNotice(limitOf(literal, { isCallers: true }), 1000)).toEqual([]);
  });

  it('is a notice of a single answer only for a LIMIT of the stored query below the outermost', () => {
    const told = (sql: string, rowsMax: number, by?: Parameters<typeof limitOf>[1], cutByBytes = false) =>
      answerLimitNotice(limitOf(sql, by), { rowsMax }, { rowCount: 20, cutByBytes }).map(({ code }) => code);
    const below = 'select v from (select v from numbers order by v limit @n)';
    expect(told(below, 1000)).toEqual(['query.limit_reached']);
    expect(told(below, 20)).toEqual([]);
    expect(told(below, 1000, {}, true)).toEqual([]);
    expect(told(below, 1000, { isCallers: true })).toEqual([]);
    expect(told('select v from numbers limit @n', 20)).toEqual([]);
    expect(told('select v from numbers limit 100', 100)).toEqual([]);
  });

  it('is certain only if the engine had more rows', () => {
    const told = (hasMore: boolean, rowCount = 100, cutByBytes = false) =>
      partLimitNotice(limitOf(literal, { isCallers: true }), { rowCount, hasMore, cutByBytes })[0]?.message;
    const remedy = 'For more rows, raise the LIMIT or leave it out.';
    expect(told(true)).toBe(`Your query has LIMIT 100, so further rows are left out. ${remedy}`);
    expect(told(false)).toBe(`Your query has LIMIT 100, so further rows may be left out. ${remedy}`);
    expect([told(false, 99), told(true, 50, true)]).toEqual([undefined, undefined]);
  });
});
