import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConformanceStore } from './conformanceStore.ts';

/** What the syntax allows and the engine might not: it ends in an answer or in `sql.too_complex`, never as a failure of the engine. */
describe('expressions as deep as they can be written', () => {
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
      message: expect.stringMatching(/^Expressions stand too deep inside one another/),
    });
  });

  it.each([
    ['a path of 101 names', `metadata${'.a'.repeat(101)}`, 'A path has at most 100 names below its column', 217],
    ['a path in brackets', `metadata${"['a']".repeat(101)}`, 'A path has at most 100 names below its column', 517],
    ['STRUCT', nested('struct(', 'id', ')', 16), 'STRUCTs stand more than 15 deep inside one another here', 8],
  ])('%s is refused at its place', async (_title, expression, sentence, column) => {
    await expect(store.run(`select ${expression} as v from edge_logs`)).rejects.toMatchObject({
      code: 'sql.too_complex',
      message: `${sentence} (line 1, column ${column}).`,
      errors: [{ line: 1, column }],
    });
  });
});
