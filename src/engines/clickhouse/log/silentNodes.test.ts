import { expect, it } from 'vitest';
import { hearingsMax, SilentNodes } from './silentNodes.ts';

/** Hears these marks of the nodes a and b, and returns who is silent after each time. */
function silentAfter(marks: readonly (readonly [number, number])[]): readonly (readonly string[])[] {
  const nodes = new SilentNodes();
  return marks.map(([a, b]) => {
    nodes.heard(new Map(Object.entries({ a, b })));
    return [...nodes.silent.keys()];
  });
}

it('takes a node for silent that said nothing as often as this one heard of it, whatever its clock', () => {
  const found = silentAfter(Array.from({ length: hearingsMax + 1 }, (_, n) => [7_000_000, -n]));
  expect(found.slice(0, -1).flat()).toEqual([]);
  expect(found.at(-1)).toEqual(['a']);
});

it('counts anew when a node is heard of again', () => {
  const quiet = Array.from({ length: hearingsMax }, (_, n): [number, number] => [1, n]);
  const found = silentAfter([...quiet, [2, 0], ...quiet.map(([, n]): [number, number] => [2, n + 100])]);
  expect(found.slice(0, -1).flat()).toEqual([]);
  expect(found.at(-1)).toEqual(['a']);
});

it('knows no node any more that the ledger has forgotten', () => {
  const nodes = new SilentNodes();
  for (let n = 0; n <= hearingsMax; n++) nodes.heard(new Map([['a', 1]]));
  expect(nodes.silent).toEqual(new Map([['a', 1]]));
  nodes.heard(new Map());
  expect(nodes.silent.size).toBe(0);
});
