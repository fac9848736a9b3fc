import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { ArrivalNumbers } from './arrivalNumbers.ts';

describe('arrival numbers', () => {
  it('rise, follow one another within a commit, and are never given twice, whatever is lost at a restart', async () => {
    const step = fc.oneof(fc.integer({ min: 0, max: 3_000_000 }), fc.constant('restart' as const));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const manifest = new ManifestInMemory();
        const start = async () => new ArrivalNumbers(manifest, await manifest.loadArrivals(), 0);
        let numbers = await start();
        let free = 1;
        for (const count of steps) {
          if (count === 'restart') {
            numbers = await start();
            continue;
          }
          const first = await numbers.take(count);
          expect(first).toBeGreaterThanOrEqual(free);
          free = first + count;
          expect(await manifest.loadArrivals()).toBeGreaterThanOrEqual(count === 0 ? 0 : free);
        }
      }),
    );
  });

  it('go on behind what the files hold where the manifest knows less', async () => {
    expect(await new ArrivalNumbers(new ManifestInMemory(), 5, 700).take(3)).toBe(701);
  });

  it('are not given where they cannot be reserved', async () => {
    const numbers = new ArrivalNumbers(
      {
        reserveArrivals: async () => {
          throw new Error('no room');
        },
      },
      11,
      8,
    );
    await expect(numbers.take(1)).rejects.toThrow('no room');
    await expect(numbers.take(2)).rejects.toThrow('no room');
  });
});
