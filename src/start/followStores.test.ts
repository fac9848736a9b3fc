import { expect, it } from 'vitest';
import type { Observation } from '../core/observation.ts';
import { ManualTimer } from '../core/timer.ts';
import { Removals } from '../retention/removals.ts';
import { RetentionRules } from '../retention/retentionRules.ts';
import { SourceRegistry } from '../sources/sourceRegistry.ts';
import { type FollowInputs, followStores } from './followStores.ts';

it('tells who would remove events that changes of retention could not be loaded, and reports it once a minute', async () => {
  const told: Observation[] = [];
  const timer = new ManualTimer();
  let isAway = true;
  const retention = {
    load: (): Promise<unknown> => Promise.reject(new Error('no store')),
    loadMarks: async () => [],
  };
  const stores: unknown = {
    sources: { load: async () => ({ declarations: [], aliases: new Map() }) },
    retention,
    deletions: { load: async () => [] },
    onChange: () => undefined,
    isAway: () => isAway,
  };
  const following = followStores({
    stores: stores as FollowInputs['stores'],
    registry: new SourceRegistry(),
    removals: new Removals(new RetentionRules({ days: 0, bySource: new Map() })),
    storage: { addSource: async () => {}, betweenRemovals: async (work) => await work() },
    dropCached: async () => {},
    timer,
    observe: (observation) => told.push(observation),
  });
  await expect(following.require(['deletions', 'retention'])).rejects.toThrow('no store');
  await expect(following.require(['deletions'])).resolves.toBeUndefined();
  await expect(following.now()).resolves.toBeUndefined();
  // A query waits for deletions only, not for rules, which may have to wait for a long removal.
  const { load } = retention;
  retention.load = () => new Promise(() => {});
  await expect(following.require(['deletions'])).resolves.toBeUndefined();
  retention.load = load;
  const seconds = async (count: number) => {
    for (let n = 0; n < count; n++) {
      timer.advanceMs(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  // The store's absence is reported once for all, and not by each load.
  await seconds(100);
  expect(told).toEqual([]);
  isAway = false;
  await seconds(100);
  expect(told).toEqual(Array(2).fill(expect.objectContaining({ message: expect.stringContaining('retention') })));
  retention.load = async () => [];
  await seconds(2);
  expect(told.slice(2)).toMatchObject([{ message: expect.stringMatching(/retention are loaded again, after \d+ s/) }]);
  await following.close();
});
