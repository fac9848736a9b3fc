import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEngine } from '../support/enginesUnderTest.ts';
import { ConformanceStore } from './conformanceStore.ts';

/**
 * Shapes of queries over small typed tables: `shapes/<family>.sql` holds queries, each followed by
 * the columns and rows that GoogleSQL's reference evaluator gives for it.
 */
const folder = new URL('./shapes/', import.meta.url);
const tables = readFileSync(new URL('tables.sql', folder), 'utf8').trim();
const families = readdirSync(folder)
  .filter((file) => file.endsWith('.sql') && file !== 'tables.sql')
  .map((file) => file.slice(0, -4));

interface ShapeQuery {
  readonly sql: string;
  readonly columns: readonly string[];
  readonly rows: readonly string[];
}

function queriesOf(family: string): readonly ShapeQuery[] {
  const blocks = readFileSync(new URL(`${family}.sql`, folder), 'utf8')
    .trim()
    .split(/\n\n+/);
  return blocks.map((block) => {
    const lines = block.split('\n');
    const said = (word: string): readonly string[] =>
      lines.flatMap((line) => (line.startsWith(`-- ${word}: `) ? [line.slice(word.length + 5)] : []));
    const columns = JSON.parse(said('columns')[0] ?? '') as readonly string[];
    return { sql: lines.filter((line) => !line.startsWith('-- ')).join('\n'), columns, rows: said('row') };
  });
}

/** Structs as the list of their values, which is how they are recorded. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'object' && value !== null ? Object.values(value).map(plain) : value;
}

/** A name as this service gives it: unnamed columns and duplicates are numbered. */
const shownAs = (name: string): unknown =>
  expect.stringMatching(name === '' ? /^f\d+_$/ : new RegExp(`^${name.replace(/\W/g, '\\$&')}(_\\d+)?$`));

describe(onEngine('shapes of queries'), () => {
  let store: ConformanceStore;
  beforeAll(async () => {
    store = await ConformanceStore.open({ withHotColumns: false, isSealed: false });
  });
  afterAll(async () => {
    await store.close();
  });

  describe.each(families)('%s', (family) => {
    it.each(queriesOf(family).map((query) => [query.sql, query] as const))('%s', async (sql, { columns, rows }) => {
      const answer = await store.run(`with ${tables} (${sql})`);
      expect(answer.columns.map((column) => column.name)).toEqual(columns.map(shownAs));
      const got = answer.rows.map((row) => JSON.stringify(Object.values(row).map(plain)));
      const isOrdered = /order by [^()]*$/.test(sql);
      expect(isOrdered ? got : [...got].sort()).toEqual(isOrdered ? rows : [...rows].sort());
    });
  });
});
