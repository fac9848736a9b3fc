import { describe, expect, it } from 'vitest';
import { largeRead, manyRows, tablesIn } from './readTables.ts';

const table = (rows: number) => ({
  name: 'edge_logs',
  rows,
  rows_read: 0,
  complete: false,
  first_row: null,
  last_row: null,
});

describe('tablesIn', () => {
  it('finds whole names only, of any characters, and otherwise takes the first', () => {
    expect(tablesIn('select 1 from edge_logs_old', ['a', 'edge_logs'])).toEqual(['a']);
    expect(tablesIn('from `b(` join edge_logs', ['a', 'edge_logs', 'b('])).toEqual(['edge_logs', 'b(']);
    expect(tablesIn('xa a', ['a'])).toEqual(['a']);
  });
});

describe('largeRead', () => {
  it.each([
    ['select count(*) from edge_logs', 'sql', manyRows],
    ["select count(*) from edge_logs where timestamp > '2026-01-01'", 'sql', null],
    ['f:edge_logs c:count(*)', 'lql', manyRows],
    ['f:edge_logs t:last@1h', 'lql', null],
  ] as const)('of %s in %s is %j', (text, language, rows) => {
    expect(largeRead(text, language, [table(manyRows - 1), table(1)])).toBe(rows);
    expect(largeRead(text, language, [table(manyRows - 1)])).toBeNull();
  });
});
