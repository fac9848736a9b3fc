import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyRemovals } from './copyRemovals.ts';
import { SqlDeletionStore } from './sqlDeletionStore.ts';
import { SqlRemovalRecords } from './sqlRemovalRecords.ts';
import { SqlRetentionStore } from './sqlRetentionStore.ts';
import type { StoreUnderTest, TwoConnections } from './twoConnections.fixture.ts';

/** Requirements of RetentionStore and DeletionStore. */
export function removalStoresContract({ name, openTwice }: StoreUnderTest): void {
  describe(`retention rules and deletions in ${name}`, () => {
    let connections: TwoConnections;
    beforeEach(async () => {
      connections = await openTwice();
    });
    afterEach(() => connections.close());

    it('keeps rules of sources, projects and both apart, and takes them away', async () => {
      const store = new SqlRetentionStore(connections.first);
      const rules = [
        { source: null, project: 'p', days: 1 },
        { source: 'edge_logs', project: null, days: 2 },
        { source: 'edge_logs', project: 'p', days: 0 },
      ];
      await store.change(rules, []);
      expect(await store.load()).toEqual(expect.arrayContaining(rules));
      await store.change(
        [
          { source: 'edge_logs', project: 'p', days: null },
          { source: null, project: 'p', days: 9 },
        ],
        [{ source: 'edge_logs', project: 'p', micros: 5 }],
      );
      expect(await new SqlRetentionStore(connections.second).load()).toEqual([
        { source: null, project: 'p', days: 9 },
        { source: 'edge_logs', project: null, days: 2 },
      ]);
    });

    it('moves marks on and never back', async () => {
      const store = new SqlRetentionStore(connections.first);
      const mark = (micros: number) => [{ source: 's', project: null, micros }];
      await store.change([], mark(7));
      await new SqlRetentionStore(connections.second).change([], mark(9));
      await store.change([], mark(8));
      expect(await store.loadMarks()).toEqual(mark(9));
    });

    it('keeps deletions of each project, completes each once, and opens it again', async () => {
      const store = new SqlDeletionStore(connections.first);
      const other = new SqlDeletionStore(connections.second);
      const base = { source: null, beforeMicros: null, requestedMicros: 3, requestedBy: 'someone' };
      await store.add({ ...base, token: 4, id: 'a', project: 'p' });
      await store.add({ ...base, token: 6, id: 'b', project: 'p', source: 's', beforeMicros: 2 });
      await store.add({ ...base, token: 5, id: 'c', project: 'q' });
      await expect(store.add({ ...base, token: 7, id: 'a', project: 'p' })).rejects.toThrow();
      await store.complete(4, 99);
      await other.complete(4, 100);
      const completed = async () => (await other.load()).map(({ id, completedMicros }) => [id, completedMicros]);
      expect(await completed()).toEqual([
        ['a', 99],
        ['c', null],
        ['b', null],
      ]);
      await other.reopen(4);
      expect((await completed())[0]).toEqual(['a', null]);
      expect((await other.list('p', 10)).map(({ id }) => id)).toEqual(['b', 'a']);
      expect((await other.list('p', 1)).map(({ id }) => id)).toEqual(['b']);
      expect(await other.find('q', 'a')).toBeNull();
      expect(await other.find('p', 'b')).toEqual({
        ...base,
        token: 6,
        id: 'b',
        project: 'p',
        source: 's',
        beforeMicros: 2,
        completedMicros: null,
        sources: [],
      });
    });

    describe('that are copied with events to another store', () => {
      let target: TwoConnections;
      let from: SqlDeletionStore;
      let into: SqlDeletionStore;
      const base = { source: null, beforeMicros: null, requestedMicros: 3, requestedBy: 'someone' };
      beforeEach(async () => {
        target = await openTwice();
        from = new SqlDeletionStore(connections.first);
        into = new SqlDeletionStore(target.first);
      });
      afterEach(() => target.close());
      const copy = async () => await copyRemovals(connections.first, target.first);
      const copied = async () =>
        (await into.load()).map(({ id, project, completedMicros, sources }) => ({
          id,
          project,
          completedMicros,
          events: sources.map(({ events }) => events),
        }));

      it('keep both deletions of one boundary, and their states and counts', async () => {
        const [own, open] = [new SqlRemovalRecords(target.first), new SqlRemovalRecords(connections.first)];
        const count = (deletion: number, events: number) => [{ deletion, source: 's', events, bytes: 1 }];
        await from.add({ ...base, token: 4, id: 'a', project: 'p' });
        await from.add({ ...base, token: 5, id: 'b', project: 'q' });
        await from.complete(4, 99);
        await from.complete(5, 98);
        await open.countDeleted(count(4, 7));
        await open.countDeleted(count(5, 6));
        await into.add({ ...base, token: 4, id: 'x', project: 'r' });
        await into.add({ ...base, token: 6, id: 'y', project: 's' });
        await own.countDeleted(count(4, 1));
        const expected = [
          // Still to be carried out: if it counted as complete, its events would be shown again.
          { id: 'x', project: 'r', completedMicros: null, events: [1] },
          { id: 'b', project: 'q', completedMicros: 98, events: [6] },
          { id: 'y', project: 's', completedMicros: null, events: [] },
          { id: 'a', project: 'p', completedMicros: 99, events: [7] },
        ];
        await copy();
        expect(await copied()).toEqual(expected);
        // As a copy that is continued does.
        await copy();
        expect(await copied()).toEqual(expected);
      });

      it('keep the boundary in the target of a deletion that it knows', async () => {
        await from.add({ ...base, token: 4, id: 'a', project: 'p' });
        await from.complete(4, 99);
        await into.add({ ...base, token: 9, id: 'a', project: 'p' });
        await copy();
        expect((await into.load()).map(({ token, completedMicros }) => [token, completedMicros])).toEqual([[9, 99]]);
      });
    });
  });
}
