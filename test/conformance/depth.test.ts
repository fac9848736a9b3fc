import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

/** What the syntax allows and the engine might not: it ends in an answer or in `sql.too_complex`, never as a failure of the engine. */
describe(onEngine('expressions as deep as they can be written'), () => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns: true, isSealed: true });
  });
  afterAll(async () => {
    await store.close();
  });

  const nested = (open: string, inner: string, close: string, times = 98): string =>
    `${open.repeat(times)}${inner}${close.repeat(times)}`;

  it.each([
    ['NULLIF', nested('nullif(', 'id', ', 99)'), 1],
    ['COALESCE', nested('coalesce(', 'id', ', 99)'), 1],
    ['CASE', nested('case when id = 1 then ', 'id', ' end'), 1],
    ['TRIM', nested('trim(', 'name', ')'), 'Ada'],
    ['a chain of ||', `length(name${' || name'.repeat(150)})`, 453],
    ['STRUCT', nested('struct(', 'id', ' as a)', 15), JSON.parse(nested('{"a":', '1', '}', 15))],
  ])('%s is answered', async (_title, expression, value) => {
    const { rows } = await store.run(`select ${expression} as v from people where id = 1`);
    expect(rows).toEqual([{ v: value }]);
  });

  it.each([
    ['a chain of ||', `name${' || name'.repeat(290)}`],
    ['a chain of +', `id${' + id'.repeat(290)}`],
    ['a chain of <<', `id${' << 0'.repeat(290)}`],
    ['a chain of casts', `id${'::string::int64'.repeat(140)}`],
  ])('%s is refused where the engine would not read it', async (_title, expression) => {
    await expect(store.run(`select ${expression} as v from people`)).rejects.toMatchObject({
      code: 'sql.too_complex',
      message: expect.stringMatching(/^Expressions are nested too deeply/),
    });
  });

  it.each([
    [
      'a path of 101 names',
      `metadata${'.a'.repeat(101)}`,
      'The path is too long: at most 100 names are allowed below its column',
      217,
    ],
    [
      'a path in brackets',
      `metadata${"['a']".repeat(101)}`,
      'The path is too long: at most 100 names are allowed below its column',
      517,
    ],
    ['STRUCT', nested('struct(', 'id', ')', 16), 'STRUCTs are nested more than 15 levels deep here', 8],
  ])('%s is refused at its place', async (_title, expression, sentence, column) => {
    await expect(store.run(`select ${expression} as v from edge_logs`)).rejects.toMatchObject({
      code: 'sql.too_complex',
      message: `${sentence} (line 1, column ${column}).`,
      errors: [{ line: 1, column }],
    });
  });

  const levels = (times: number, level: (inner: string, i: number) => string, inner: string): string =>
    Array.from({ length: times }).reduce<string>((query, _, i) => level(query, i), inner);

  it.each([
    [
      'of arrays',
      (inner: string, i: number) => `array_length(array(select ${inner} + e${i} from unnest([1, 2]) e${i}))`,
    ],
    ['of aggregates', (inner: string, i: number) => `(select max(${inner} + e${i}) from unnest([1, 2]) e${i})`],
    ['of conditions', (inner: string, i: number) => `if(2 in (select ${inner} from unnest([1]) e${i}), 2, 1)`],
  ])('subqueries %s are answered as deep as they may stand, and refused beyond', async (_title, level) => {
    const { rows } = await store.run(`select ${levels(8, level, 'id')} as v from people where id = 1`);
    expect(rows).toHaveLength(1);
    await expect(store.run(`select ${levels(9, level, 'id')} as v from people`)).rejects.toMatchObject({
      code: 'sql.too_complex',
      message: expect.stringMatching(/^Subqueries used as values are nested more than 8 levels deep/),
    });
  });

  it('subqueries in WITH tables that subqueries read count as well', async () => {
    const level = (inner: string, i: number) => `(select max(${inner} + e${i}) from unnest([1, 2]) e${i})`;
    const table = `with w as (select ${levels(5, level, '1')} as x)`;
    expect((await store.run(`${table} select ${levels(2, level, '(select x from w)')} as v`)).rows).toHaveLength(1);
    await expect(store.run(`${table} select ${levels(3, level, '(select x from w)')} as v`)).rejects.toMatchObject({
      code: 'sql.too_complex',
      errors: [{ line: 1, expected: 'at most 8 levels of subqueries' }],
    });
  });
});
