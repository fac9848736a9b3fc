import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { slowest, slowestFirst } from '../support/slowestFirst.ts';

const root = join(import.meta.dirname, '..', '..');
const file = (name: string, isolate: boolean, project = '') => ({
  moduleId: join(root, name),
  project: { name: project, config: { isolate } },
});

it('names files that are there', () => {
  expect(slowest.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

it('begins with the slowest files and ends with those that share workers, project by project', () => {
  const others = ['src/b.test.ts', 'src/a.test.ts'];
  const alone = [...slowest, ...others].map((name) => file(name, true));
  const [a, b] = ['a', 'b'].map((project) => others.map((name) => file(name, false, project)));
  const sharing = [a?.[0], b?.[0], a?.[1], b?.[1]].filter((each) => each !== undefined);
  const mixed = [...sharing, ...alone.slice(slowest.length), ...alone.slice(0, slowest.length).toReversed()];
  expect(slowestFirst(mixed)).toEqual([...alone, ...(a ?? []), ...(b ?? [])]);
});
