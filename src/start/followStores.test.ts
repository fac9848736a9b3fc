import { expect, it } from 'vitest';
import { ManualTimer } from '../core/timer.ts';
import { Removals } from '../retention/removals.ts';
import { RetentionRules } from '../retention/retentionRules.ts';
import { SourceRegistry } from '../sources/sourceRegistry.ts';
import { type FollowInputs, followStores } from './followStores.ts';

it('tells who would remove events that changes of retention could not be loaded, and nobody else', async () => {
  const told: unknown[] = [];
  const retention = { load: (): Promise<unknown> => Promise.reject(new Error('no store')) };
  const stores: unknown = {
    sources: { load: async () => ({ declarations: [], aliases: new Map() }) },
    retention,
    deletions: { load: async () => [] },
    onChange: () => undefined,
  };
  const following = followStores({
    stores: stores as FollowInputs['stores'],
    registry: new SourceRegistry(),
    removals: new Removals(new RetentionRules({ days: 0, bySource: new Map() })),
    storage: { addSource: async () => {}, betweenRemovals: async (work) => await work() },
    dropCached: async () => {},
    timer: new ManualTimer(),
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
  expect(told).not.toEqual([]);
  await following.close();
});
