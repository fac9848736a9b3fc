import { describe, expect, it } from 'vitest';
import { isAtOrBelow, renderFieldTree } from './fieldTree.ts';

const field = (path: string, more: object = {}) => ({
  table: 'edge_logs',
  path: `edge_logs.${path}`,
  types: ['STRING'],
  share: 1,
  distinct: 1,
  values: [{ value: 'x' }],
  personal: false,
  ...more,
});
const table = { name: 'edge_logs', rows: 1200, rows_read: 1200, complete: true };

describe('renderFieldTree', () => {
  it('shows names below one another, with types, shares and examples', () => {
    const fields = [
      field('metadata', { types: ['OBJECT'], distinct: 0, values: [] }),
      field('metadata.`a.b`', { types: ['INT64', 'STRING'], share: 0.004, distinct: 90, values: [{ value: 7n }] }),
      field('metadata.user_email', { personal: true, values: [], share: 0.999 }),
      field('metadata.words', { types: ['ARRAY'], distinct: 0, values: [], share: 0.5 }),
      field('metadata.words[]', { share: 0.5 }),
    ];
    expect(renderFieldTree(fields, [table]).split('\n')).toEqual([
      'edge_logs: 1,200 rows',
      '  metadata      OBJECT         100 %',
      '    `a.b`       INT64|STRING   < 1 %  7, … (about 90)',
      '    user_email  STRING        > 99 %  (personal)',
      '    words       ARRAY           50 %',
      '      []        STRING          50 %  x',
    ]);
  });

  it('says that shares are estimates, and escapes what a terminal could obey', () => {
    const sampled = { ...table, rows: 5_000_000, rows_read: 4000, complete: false };
    const text = renderFieldTree([field('`\u001b[31m`', { values: [{ value: 'a\u001b[0mb\n' }] })], [sampled]);
    expect(text).toContain('edge_logs: 5,000,000 rows; shares are estimates from 4,000 rows');
    expect(text).not.toContain('\u001b');
    expect(text.split('\n')).toHaveLength(2);
    expect(
      renderFieldTree([field('metadata.long_name')], [table], 20)
        .split('\n')
        .at(-1),
    ).toHaveLength(20);
  });
});

describe('isAtOrBelow', () => {
  it('takes whole names only', () => {
    const below = ['metadata.request', 'metadata.request.path', 'metadata.request[]', 'metadata.request_id'];
    expect(below.filter((path) => isAtOrBelow(field(path), 'edge_logs.metadata.request'))).toEqual(below.slice(0, 3));
  });
});
