import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqlSourceStore } from './sqlSourceStore.ts';
import type { StoreUnderTest, TwoConnections } from './twoConnections.fixture.ts';

const declared = (name: string) => ({ name, projectField: { kind: 'column' }, description: `${name}.` }) as const;

/** Requirements of SourceStore. */
export function sourceStoreContract({ name, openTwice }: StoreUnderTest): void {
  describe(`sources in ${name}`, () => {
    let connections: TwoConnections;
    beforeEach(async () => {
      connections = await openTwice();
    });
    afterEach(() => connections.close());

    it('are kept with their aliases, in the order in which they were added', async () => {
      const [store, other] = [new SqlSourceStore(connections.first), new SqlSourceStore(connections.second)];
      await store.add(declared('z'), ['y'], 1, () => []);
      await other.add(declared('a'), [], 2, () => []);
      await other.setAliases('a', ['c', 'B'], () => []);
      expect(await store.load()).toEqual({
        declarations: [declared('z'), declared('a')],
        aliases: new Map([
          ['B', 'a'],
          ['c', 'a'],
          ['y', 'z'],
        ]),
      });
    });

    it('are kept with the table of others that they read', async () => {
      const [store, other] = [new SqlSourceStore(connections.first), new SqlSourceStore(connections.second)];
      const existing = {
        database: 'web',
        table: 'access',
        time: 'at',
        project: 'tenant',
        message: 'line',
        id: null,
        metadata: null,
        columns: [{ name: 'at', type: 'DateTime', kind: 'string' }],
        isFinal: false,
      } as const;
      await store.add(declared('b'), [], 1, () => []);
      await store.add({ ...declared('z'), existing }, ['y'], 2, () => []);
      await other.add(declared('a'), [], 3, () => []);
      expect(await other.load()).toEqual({
        declarations: [declared('b'), { ...declared('z'), existing }, declared('a')],
        aliases: new Map([['y', 'z']]),
      });
    });

    it('are added once, and an alias belongs to one of them', async () => {
      const [store, other] = [new SqlSourceStore(connections.first), new SqlSourceStore(connections.second)];
      await Promise.all([store.add(declared('a'), [], 1, () => []), other.add(declared('a'), [], 2, () => [])]);
      await store.add(declared('b'), ['x'], 3, () => []);
      await expect(other.setAliases('a', ['x'], () => [])).rejects.toThrow();
      const { declarations, aliases } = await store.load();
      expect(declarations.map((each) => each.name)).toEqual(['a', 'b']);
      expect(aliases).toEqual(new Map([['x', 'b']]));
    });
  });
}
