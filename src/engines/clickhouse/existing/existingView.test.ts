import { describe, expect, it } from 'vitest';
import { hotColumnsOf } from '../../../sources/existingMembers.ts';
import type { ExistingColumn, ExistingTable } from '../../../sources/existingTable.ts';
import { sourceOf } from '../../../sources/sourceDeclaration.ts';
import { memberKind } from './columnTypes.ts';
import { createViewStatement, existingConditions } from './existingView.ts';

const column = (name: string, type: string): ExistingColumn => ({ name, type, kind: memberKind(type) });
const table: ExistingTable = {
  database: 'web',
  table: 'access',
  time: 'at',
  project: 'tenant',
  message: 'line',
  id: null,
  metadata: null,
  columns: [
    column('at', "DateTime64(3, 'UTC')"),
    column('tenant', 'LowCardinality(String)'),
    column('line', 'String'),
    column('status', 'Nullable(UInt16)'),
    column('tags', 'Map(String, String)'),
    column("a`b'c\\", 'Float32'),
  ],
  isFinal: false,
};
const viewOf = (existing: ExistingTable) => {
  const source = sourceOf({ name: 'access', projectField: { kind: 'column' }, description: '', existing });
  return createViewStatement({ ...source, existing }, { database: 'logmill', cluster: null });
};

describe('the view of an existing table', () => {
  it('names the columns of the table in quotes, so that no name is read as SQL', () => {
    const view = viewOf(table);
    expect(view).toContain('FROM `web`.`access` AS existing_row\n');
    expect(view).toContain("existing_row.`a\\`b'c\\\\`");
    expect(view).toContain("`a\\\\`b\\'c\\\\\\\\` Nullable(Float64)");
  });

  it('leaves out rows that another one replaced', () => {
    expect(viewOf({ ...table, isFinal: true })).toContain('AS existing_row FINAL\n');
  });

  it('has typed columns for numbers and texts only', () => {
    expect(hotColumnsOf(table).map(({ path, kind }) => [path.join('.'), kind])).toEqual([
      ['', 'presence'],
      ['status', 'int64'],
      ["a`b'c\\", 'float64'],
    ]);
  });
});

describe('the conditions on an existing table', () => {
  const always = { fromMicros: null, toMicros: null };

  it('compare the stored column, and let nothing pass without projects', () => {
    expect(existingConditions(table, ["o'neil", 'b\\'], always)).toEqual(["`tenant` IN ('o\\'neil', 'b\\\\')"]);
    expect(existingConditions(table, [], always)).toEqual(['0']);
    expect(existingConditions(table, null, always)).toEqual([]);
  });

  it('have the time with a second more, as far as every precision can be compared', () => {
    expect(existingConditions(table, null, { fromMicros: 5_000_000n, toMicros: 2n ** 62n })).toEqual([
      "`at` >= fromUnixTimestamp64Micro(toInt64(4000000), 'UTC')",
    ]);
  });

  it('compare the text of a project that is a number', () => {
    const columns = table.columns.map((each) => (each.name === 'tenant' ? column('tenant', 'UInt32') : each));
    expect(existingConditions({ ...table, columns }, ['7'], always)).toEqual([
      "ifNull(CAST(`tenant`, 'Nullable(String)'), '') IN ('7')",
    ]);
  });
});
