import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processorMs } from '../../test/support/processorTime.ts';
import { nearestName } from './nearestName.ts';

/** The whole table, as the definition has it. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    rows.push([i]);
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(at(i, j - 1) + 1, at(i - 1, j) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(i - 2, j - 2) + 1);
      rows[i]?.push(cost);
    }
  }
  return at(a.length, b.length);
}

function nearestByTheTable(name: string, allowed: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of allowed) {
    const found = distance(name.toLowerCase(), candidate.toLowerCase());
    if (found > Math.max(1, Math.floor(Math.max(name.length, candidate.length) / 3)) || found >= bestDistance) continue;
    best = candidate;
    bestDistance = found;
  }
  return best;
}

describe('the nearest name', () => {
  test.each([
    ['edge_log', ['edge_logs', 'auth_logs'], 'edge_logs'],
    ['egde_logs', ['edge_logs', 'auth_logs'], 'edge_logs'],
    ['EDGE_LOGS', ['edge_logs'], 'edge_logs'],
    ['x', ['edge_logs'], undefined],
    ['', ['a', 'ab'], 'a'],
  ])('of %s among %j is %s', (name, allowed, nearest) => {
    expect(nearestName(name, allowed)).toBe(nearest);
  });

  test('is the first one with the smallest distance in the whole table', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A', 'é', 'ā', '_', '1'), maxLength: 14 });
    fc.assert(
      fc.property(word, fc.array(word, { maxLength: 12 }), (name, allowed) => {
        expect(nearestName(name, allowed)).toBe(nearestByTheTable(name, allowed));
      }),
      { numRuns: 3000 },
    );
  });

  test('is found at any place among ten thousand names', () => {
    const names = Array.from({ length: 10_000 }, (_, n) => `team-${n % 97}.requests-by-${n}`);
    expect(nearestName('teem-12.requests-by-8742', names)).toBe('team-12.requests-by-8742');
  });
});

describe('the work of a search', () => {
  /** As long and as alike as names can be. */
  const names = (count: number) => Array.from({ length: count }, (_, n) => `${'ab'.repeat(60)}${n}`);

  test('is bounded for any number of names', () => {
    const wanted = `${'ba'.repeat(50)}${'c'.repeat(20)}`;
    nearestName(wanted, names(2000));
    const of = (count: number) => {
      const allowed = names(count);
      // A process that waits for memory or is interrupted takes longer.
      return Math.min(...[1, 2, 3].map(() => processorMs(() => nearestName(wanted, allowed))));
    };
    const [few, many] = [of(10_000), of(100_000)];
    expect(many).toBeLessThan(3 * few + 20);
  });
});
