import { describe, expect, it } from 'vitest';
import { builtinSources } from '../../sources/builtin.ts';
import { compileCaller, compileStored } from '../compile.ts';
import type { ParameterValue } from '../resolve/parameterValue.ts';
import { shareableTail, sharedTailQuery } from './sharedTail.ts';
import { tailedQuery } from './tailQuery.ts';

const sources = new Map(builtinSources.map((source) => [source.name, source]));
const context = { sources, parameters: new Map([['p', 'string' as const]]) };
const stored = `with logs as (
    select t.id, t.timestamp, t.event_message, t.metadata, t.project from sources.pooler_logs as t where @p is null or t.project = @p
  )
  select event_message as v from logs order by timestamp desc limit 10`;

const keyOf = (sql: string, p: ParameterValue = { kind: 'null' }): string | null => {
  const query = sql.startsWith('with') ? compileStored(sql, context) : compileCaller(sql, stored, context);
  if ('construct' in tailedQuery(query)) throw new Error('not a tail');
  return shareableTail(query, new Map([['p', p]]))?.key ?? null;
};

describe('tails can be read together', () => {
  const whole = keyOf(stored);

  it.each([
    ['a condition', "select event_message as v from logs where event_message like '%x%'"],
    ['the text around it', 'select v from (select event_message as v, id from logs) as t where length(t.id) > 2'],
  ])('if they differ in %s', (_, sql) => {
    expect(keyOf(sql)).toBe(whole);
  });

  it('if they differ in the value of a parameter of the condition, but not of a column', () => {
    const value = (text: string): ParameterValue => ({ kind: 'string', value: text });
    expect(keyOf(stored, value('a'))).toBe(whole);
    const column = stored.replace('event_message as v', 'concat(event_message, @p) as v');
    expect(keyOf(column, value('a'))).toBe(keyOf(column, value('a')));
    expect(keyOf(column, value('a'))).not.toBe(keyOf(column, value('b')));
  });

  it.each([
    ['a column', 'select id as v from logs'],
    ['the name of a column', 'select event_message as w from logs'],
    ['an element', 'select event_message as v from logs cross join unnest(metadata) as m'],
    ['a literal in a column', "select concat(event_message, '1') as v from logs"],
  ])('not if they differ in %s', (_, sql) => {
    expect(keyOf(sql)).not.toBeNull();
    expect(keyOf(sql)).not.toBe(whole);
  });

  it('if they read the same elements', () => {
    const over = (sql: string) => `select m.n from logs cross join unnest(metadata) as m ${sql}`;
    expect(keyOf(over('where m.n > 1'))).toBe(keyOf(over('where m.n > 2 and event_message is not null')));
    expect(keyOf(over('cross join unnest(m.list) as l'))).not.toBe(keyOf(over('')));
  });

  it.each([
    ['several tables', 'select v from (select id as v from logs union all select event_message as v from logs) as t'],
    [
      'a subquery',
      'select id as v from logs where exists (select 1 from unnest(json_value_array(metadata.list)) as x)',
    ],
    ['an outer join', 'select m.n from logs left join unnest(metadata) as m on true'],
  ])('not with %s', (_, sql) => {
    expect(keyOf(sql)).toBeNull();
  });

  it('not with a condition that grows without bound', () => {
    let sql = 'select event_message as v from logs';
    for (let i = 0; i < 20; i++) sql = `select concat(v, v) as v from (${sql}) as t${i}`;
    expect(keyOf(sql)).toBeNull();
    const long = 'x'.repeat(20_000);
    expect(keyOf(`select event_message as v from logs where event_message like '%${long}%'`)).toBeNull();
    expect(keyOf(stored, { kind: 'string', value: long })).toBeNull();
  });
});

it('compares the project of an event once for tails of one project, and for each tail otherwise', () => {
  const sql = stored.replace('@p is null or ', '');
  const query = compileStored(sql, context);
  const member = (p: string) => {
    const tail = shareableTail(query, new Map([['p', { kind: 'string', value: p }]]));
    if (tail === null) throw new Error('not shareable');
    return { tail, projects: [p] };
  };
  const written = (...of: [string, string]) => {
    const [first, second] = of.map(member);
    if (first === undefined || second === undefined) throw new Error('no members');
    const { relation } = sharedTailQuery([first, second]).query;
    return JSON.stringify(relation, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  };
  const compares = (text: string) => ['"name":"0 p"', '"name":"1 p"', '"value":"b"'].map((part) => text.includes(part));
  expect(compares(written('a', 'a'))).toEqual([false, false, false]);
  expect(compares(written('a', 'b'))).toEqual([true, true, true]);
});
