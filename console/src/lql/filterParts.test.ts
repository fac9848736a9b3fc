import { expect, it } from 'vitest';
import { comparingClause, filterParts, withPart } from './filterParts.ts';

const filter = (kind: 'from' | 'field' | 'time' | 'text', text: string, more: object = {}) => ({
  kind,
  text,
  negated: false,
  path: null,
  op: null,
  line: 1,
  column: 1,
  ...more,
});

const lql = 'f:edge_logs -m.path:"a b" m.n:>=5 t:last@1h';
const parts = filterParts(lql, [
  filter('from', 'f:edge_logs'),
  filter('field', '-metadata.path:"a b"', { negated: true, path: 'metadata.path', op: ':' }),
  filter('field', 'metadata.n:>=5', { path: 'metadata.n', op: ':>=' }),
  filter('time', 'timestamp:last@1hour'),
]);

it('shows what the service read, and keeps the texts that were typed', () => {
  expect(parts.map(({ text }) => text)).toEqual(['f:edge_logs', '-m.path:"a b"', 'm.n:>=5', 't:last@1h']);
  expect(parts.map(({ compared }) => compared)).toEqual([
    null,
    { path: 'm.path', op: ':', value: '"a b"' },
    { path: 'm.n', op: ':>=', value: '5' },
    null,
  ]);
});

it('changes and removes one clause, and leaves the others as they are', () => {
  expect(withPart(parts, 2, comparingClause('m.n', ':<', '7', true))).toBe(
    'f:edge_logs -m.path:"a b" -m.n:<7 t:last@1h',
  );
  expect(withPart(parts, 1, null)).toBe('f:edge_logs m.n:>=5 t:last@1h');
});

it('quotes values that would otherwise end or begin a clause', () => {
  expect(comparingClause('m.path', ':', 'a b', false)).toBe('m.path:"a b"');
  expect(comparingClause('m.path', ':~', 'say "x:y"', false)).toBe('m.path:~"say \\"x:y\\""');
  expect(comparingClause('m.n', ':', '1..5', false)).toBe('m.n:1..5');
  expect(comparingClause('m.path', ':', '"a b"', false)).toBe('m.path:"a b"');
});
