import { expect, it } from 'vitest';
import { TailGroup, type TailGroupServices } from './tailGroup.ts';
import type { TailPlan } from './tailPlan.ts';
import type { TailReader } from './tailReader.ts';

it('reads as the token of the readers that are there, and on its own account if they have several', () => {
  const runnerOf = (id: string) => ({ id, concurrencyMax: 1, tenant: id });
  const plan = { key: 'k', runner: runnerOf('first') } as unknown as TailPlan;
  const place = { arrival: 0, row: 0 };
  const group = new TailGroup(plan, Buffer.from([1]), place, {} as unknown as TailGroupServices);
  const join = (id: string): TailReader => {
    const reader = {} as unknown as TailReader;
    group.add({ reader, tokenId: id, placeOwner: id, runner: runnerOf(id), requireRights: async () => {} });
    return reader;
  };
  const first = join('first');
  join('first');
  expect(group.plan.runner).toEqual(runnerOf('first'));
  const other = join('other');
  expect(group.plan.runner).toMatchObject({ concurrencyMax: null });
  group.remove(other);
  expect(group.plan.runner).toEqual(runnerOf('first'));
  group.remove(first);
  join('other');
  expect(group.plan.runner.id).not.toBe('first');
});
