import { expect, it } from 'vitest';
import { IdentityMemory, identityRow } from './identityMemory.ts';

const bytesMax = 1_000_000;
const minuteMicros = 60 * 1_000_000;
const row = (key: string, micros: number) => identityRow({ key, digest: 'd', answer: 'a' }, micros);
const isKnown = (memory: IdentityMemory, key: string) => memory.find(row(key, 0)[0]) !== undefined;

it('forgets what is both too old and not among the last ones', () => {
  const memory = new IdentityMemory(15 * 60 * 1000, 3, bytesMax);
  for (let n = 0; n < 6; n++) memory.remember([row(`k${n}`, n * minuteMicros)], n * minuteMicros);
  expect(isKnown(memory, 'k0')).toBe(true);
  expect(memory.rows(17 * minuteMicros).map(([, , , micros]) => micros / minuteMicros)).toEqual([2, 3, 4, 5]);
  expect(memory.rows(100 * minuteMicros)).toHaveLength(3);
  expect(isKnown(memory, 'k2')).toBe(false);
  expect(isKnown(memory, 'k3')).toBe(true);
});

it('remembers no longer than otherwise what was stored before the clock was put back', () => {
  const memory = new IdentityMemory(15 * 60 * 1000, 2, bytesMax);
  const year = 365 * 24 * 60;
  for (let n = 0; n < 3; n++) memory.remember([row(`ahead${n}`, year * minuteMicros)], year * minuteMicros);
  for (let n = 0; n < 3; n++) memory.remember([row(`back${n}`, n * minuteMicros)], n * minuteMicros);
  expect(memory.rows(14 * minuteMicros)).toHaveLength(6);
  expect(memory.rows(18 * minuteMicros)).toHaveLength(2);
  // As when a folder is opened whose last clock was ahead.
  const opened = new IdentityMemory(15 * 60 * 1000, 0, bytesMax);
  opened.remember([row('a', year * minuteMicros), row('b', year * minuteMicros)], 0);
  expect(opened.rows(15 * minuteMicros)).toHaveLength(2);
  expect(opened.rows(16 * minuteMicros)).toHaveLength(0);
});

it('tells keys and digests of any length apart, at a fixed size', () => {
  const long = 'x'.repeat(10_000);
  const rows = [row(`${long}1`, 0), row(`${long}2`, 0)];
  expect(new Set(rows.map(([key]) => key)).size).toBe(2);
  expect(rows.every(([key, digest]) => key.length === 22 && digest.length === 22)).toBe(true);
});

it('gives back from its rows what it remembered', () => {
  const memory = new IdentityMemory(1, 1_000, bytesMax);
  memory.remember([row('a', 1), row('b', 2)], 2);
  const copy = new IdentityMemory(1, 1_000, bytesMax);
  copy.remember(memory.rows(2), 2);
  expect(copy.rows(2)).toEqual(memory.rows(2));
});

it('has room for every owner, however much one has sent, until that is forgotten', () => {
  const memory = new IdentityMemory(15 * 60 * 1000, 2, 10_000);
  let stored = 0;
  while (memory.hasRoom('many', 'a', 0)) memory.remember([row(`k${stored++}`, 0)], 0, ['many']);
  expect(stored).toBe(24);
  expect(memory.hasRoom('other', 'a', 0)).toBe(true);
  expect(memory.hasRoom('other', 'a'.repeat(9_000), 0)).toBe(false);
  // Stored again under the same key, it takes its place only once.
  memory.remember([row('k0', 0)], 0, ['many']);
  expect(memory.hasRoom('other', 'a'.repeat(2_000), 0)).toBe(true);
  expect(memory.hasRoom('many', 'a', 16 * minuteMicros)).toBe(true);
  expect(memory.rows(16 * minuteMicros)).toHaveLength(2);
});
