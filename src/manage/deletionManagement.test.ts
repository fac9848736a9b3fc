import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import type { DeletionRecord, DeletionStore, DeletionWait } from '../retention/eventDeletion.ts';
import { DeletionManagement } from './deletionManagement.ts';

const by = { actor: 'a', requestId: 'r' };

/** A store of one project, whose next `add` fails as it is said. */
function storeOf(records: DeletionRecord[], failure: 'before' | 'after' | null = null): DeletionStore {
  const complete = (token: number, completedMicros: number | null) => {
    const at = records.findIndex((each) => each.token === token);
    const found = records[at];
    if (found !== undefined) records[at] = { ...found, completedMicros };
  };
  return {
    load: async () => records,
    add: async (deletion) => {
      if (failure === 'before') throw new Error('the disk failed');
      records.push({ ...deletion, completedMicros: null, sources: [] });
      if (failure === 'after') throw new Error('the disk failed');
    },
    complete: async (token, nowMicros) => complete(token, nowMicros),
    reopen: async (token) => complete(token, null),
    list: async () => records,
    find: async (_, id) => records.find((each) => each.id === id) ?? null,
  };
}

function managementOf(store: DeletionStore, waits: ReadonlyMap<number, DeletionWait> = new Map()) {
  const inForce: number[] = [];
  const management = new DeletionManagement({
    store,
    sourceNames: () => [],
    isReadOnly: () => false,
    deleteEvents: async (register) => {
      const deletion = await register(5);
      inForce.push(deletion.token);
      return deletion;
    },
    waitsOf: async (deletions) => new Map([...waits].filter(([key]) => deletions.some((d) => d.token === key))),
    dropCached: () => undefined,
    clock: new ManualClock(7),
    randomness: systemRandomness,
  });
  return { management, inForce };
}

it('reports what a deletion waits for, and when only damaged files are left', async () => {
  const quarantined = [{ name: 'sealed-3.duckdb', contents: 'known' }] as const;
  const told = [{ file: 'sealed-3.duckdb', contents: 'known' }];
  const records: DeletionRecord[] = [];
  const stateWith = async (wait: DeletionWait | undefined) => {
    const { management } = managementOf(storeOf(records), new Map(wait === undefined ? [] : [[5, wait]]));
    const [view] = await management.list('p');
    return [view?.state, view?.waits_for];
  };
  await managementOf(storeOf(records)).management.delete('p', { source: null, before: undefined }, by);
  expect(await stateWith({ isCarriedOut: false, quarantined: [] })).toEqual(['running', []]);
  expect(await stateWith({ isCarriedOut: false, quarantined })).toEqual(['running', told]);
  expect(await stateWith({ isCarriedOut: true, quarantined: [] })).toEqual(['running', []]);
  expect(await stateWith({ isCarriedOut: true, quarantined })).toEqual(['waiting', told]);
  await storeOf(records).complete(5, 9);
  expect(await stateWith({ isCarriedOut: true, quarantined })).toEqual(['complete', []]);
});

it('applies a deletion that is stored, even if the store reported an error', async () => {
  const records: DeletionRecord[] = [];
  const { management, inForce } = managementOf(storeOf(records, 'after'));
  const view = await management.delete('p', { source: null, before: undefined }, by);
  expect(view).toMatchObject({ state: 'running', project: 'p' });
  expect(inForce).toEqual([5]);
});

it('deletes nothing if the deletion is not stored', async () => {
  const { management, inForce } = managementOf(storeOf([], 'before'));
  await expect(management.delete('p', { source: null, before: undefined }, by)).rejects.toThrow('the disk failed');
  expect(inForce).toEqual([]);
});
