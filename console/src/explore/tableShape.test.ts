import { expect, it } from 'vitest';
import { shapeOf, withFields } from './tableShape.ts';

const columns = [
  { name: 'timestamp', type: 'TIMESTAMP' },
  { name: 'metadata', type: 'JSON' },
] as const;

it('adds the members that the newest rows do not have, and those of its table only', () => {
  const shape = shapeOf(columns, [{ timestamp: 't', metadata: { a: 1, b: { c: 'x' } } }]);
  expect(shape.paths).toEqual(['m.a', 'm.b.c', 'timestamp']);
  const field = (path: string, ...types: string[]) => ({ table: path.split('.')[0] ?? '', path, types });
  const { paths, level } = withFields(
    shape,
    [
      field('edge.timestamp', 'TIMESTAMP'),
      field('edge.metadata', 'OBJECT'),
      field('edge.metadata.a', 'INT64', 'NULL'),
      field('edge.metadata.rare.level', 'STRING', 'NULL'),
      field('edge.metadata.list', 'ARRAY'),
      field('edge.metadata.list[].x', 'STRING'),
      field('edge.metadata.`cf.ray`', 'STRING'),
      field('edge.metadata.never', 'NULL'),
      field('other.metadata.z', 'STRING'),
    ],
    'edge',
  );
  expect(paths).toEqual(['m.a', 'm.b.c', 'm.rare.level', 'timestamp']);
  expect(level).toBeNull();
});
