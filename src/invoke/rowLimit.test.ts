import { describe, expect, it } from 'vitest';
import { rowLimitOf, truncatedBy } from './rowLimit.ts';

const more = { hasMore: true, cutByBytes: false };
const whole = { hasMore: false, cutByBytes: false };

describe('rowLimitOf and truncatedBy', () => {
  it.each([
    // max_rows, outer LIMIT, caller query, rows asked for, what a cut means
    [1000, 100, false, 100, 'query_limit'],
    [1000, 1000, false, 1000, 'query_limit'],
    [1000, 1001, false, 1000, 'max_rows'],
    [1000, null, false, 1000, 'max_rows'],
    [1000, 5, true, 5, null],
    [1000, 1000, true, 1000, null],
    [1000, 10_000, true, 1000, 'max_rows'],
    [1000, null, true, 1000, 'max_rows'],
    [1000, 0, true, 0, null],
  ] as const)(
    'max_rows %s, LIMIT %s, caller %s: asks for %s rows, a cut is %s',
    (maxRows, outer, caller, rows, cut) => {
      const limit = rowLimitOf(maxRows, outer, caller);
      expect(limit.rowsMax).toBe(rows);
      expect(truncatedBy(limit, more)).toBe(cut);
      expect(truncatedBy(limit, whole)).toBe(null);
    },
  );

  it('says that bytes cut, also under a smaller LIMIT of the caller', () => {
    expect(truncatedBy(rowLimitOf(1000, 5, true), { hasMore: true, cutByBytes: true })).toBe('result_bytes');
    expect(truncatedBy(rowLimitOf(1000, null, false), { hasMore: false, cutByBytes: true })).toBe('result_bytes');
  });
});
