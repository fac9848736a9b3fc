import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointDefinition } from './definition.ts';
import type { EndpointStore } from './endpointStore.ts';
import { parseDefinition } from './parseDefinition.ts';

export interface EndpointStoreFixture {
  /** Two stores over the same data, as two processes have them. */
  readonly store: EndpointStore;
  readonly other: EndpointStore;
  readonly close: () => Promise<void>;
}

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

const definition = (n: number, name: string, changes: Record<string, unknown> = {}): EndpointDefinition =>
  parseDefinition({ id: id(n), name, query: `select ${n}`, ...changes }, { label: name });

/** The tests that every adapter of EndpointStore must pass. */
export function endpointStoreContract(name: string, open: () => Promise<EndpointStoreFixture>): void {
  describe(`${name} as an EndpointStore`, () => {
    let fixture: EndpointStoreFixture;
    let store: EndpointStore;
    let other: EndpointStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, other } = fixture);
    });
    afterEach(() => fixture.close());

    const primaryId = async (endpointName: string) => (await other.findPrimary(endpointName))?.id;

    it('returns every field of a definition, also through another process', async () => {
      const full = definition(1, 'a.b', {
        description: 'Ünïcode',
        query: 'select @p, @t, @e -- "quotes" and \n lines',
        parameters: {
          p: { type: 'string', required: true, pattern: '^a', max_length: 9, description: 'd', example: 'ab' },
          t: { type: 'timestamp', min: '2026-01-01', max: '2027-01-01' },
          e: { type: 'enum', allowed: ['x', 'y'], default: 'x', on_unknown: 'default' },
        },
        max_rows: 7,
        cache_seconds: 900,
        warm_seconds: 300,
        stale_if_error_seconds: 60,
        sandbox: true,
        values: 'records',
        timeout_ms: 1500,
        strict_parameters: true,
        retention: { parameter: 'e', start: 't', days: { x: 1 }, otherwise: 2 },
      });
      const created = await store.create(full, 5);
      expect(created).toEqual({
        ...full,
        version: 1,
        primary: true,
        createdAtMicros: 5,
        updatedAtMicros: 5,
        author: null,
        note: '',
      });
      expect(await other.findById(id(1))).toEqual(created);
      expect(await other.findById(id(1).toUpperCase())).toEqual(created);
      expect(await other.findPrimary('a.b')).toEqual(created);
      expect(await other.findPrimary('a')).toBeUndefined();
      expect(await other.findById(id(2))).toBeUndefined();
    });

    it('numbers versions and never alters an old one', async () => {
      const first = await store.create(definition(1, 'a'), 5);
      const second = await other.change(definition(1, 'a', { query: 'select 2' }), 6);
      expect(second).toMatchObject({ version: 2, query: 'select 2', createdAtMicros: 5, updatedAtMicros: 6 });
      expect(await store.findById(id(1))).toEqual(second);
      expect(await store.findVersion(id(1), 1)).toEqual(first);
      expect(await store.listVersions(id(1))).toEqual([second, first]);
      expect(await store.findVersion(id(1), 3)).toBeUndefined();
      expect(await store.listVersions(id(9))).toEqual([]);
    });

    it('makes the first endpoint of a name primary, and no later one', async () => {
      expect((await store.create(definition(1, 'a'), 5)).primary).toBe(true);
      expect((await store.create(definition(2, 'a'), 5)).primary).toBe(false);
      expect(await primaryId('a')).toBe(id(1));
    });

    it('keeps exactly one primary when two processes create the same name at once', async () => {
      const made = await Promise.all([store.create(definition(1, 'a'), 5), other.create(definition(2, 'a'), 5)]);
      expect(made.filter((endpoint) => endpoint.primary)).toHaveLength(1);
    });

    it('moves the primary in one step, however many processes move it', async () => {
      await store.create(definition(1, 'a'), 5);
      await store.create(definition(2, 'a'), 5);
      await store.create(definition(3, 'b'), 5);
      await Promise.all([store.setPrimary(id(1)), other.setPrimary(id(2)), store.setPrimary(id(2))]);
      expect((await other.list()).filter((endpoint) => endpoint.name === 'a' && endpoint.primary)).toHaveLength(1);
      await store.setPrimary(id(2));
      expect(await primaryId('a')).toBe(id(2));
      expect(await primaryId('b')).toBe(id(3));
      await expect(store.setPrimary(id(9))).rejects.toMatchObject({ code: 'endpoint.unknown' });
    });

    it('lists by name, the primary first', async () => {
      await store.create(definition(3, 'b'), 5);
      await store.create(definition(1, 'a'), 5);
      await store.create(definition(2, 'a'), 5);
      await store.setPrimary(id(2));
      expect((await other.list()).map((endpoint) => endpoint.id)).toEqual([id(2), id(1), id(3)]);
    });

    it('refuses an id that is in use or belonged to a deleted endpoint', async () => {
      await store.create(definition(1, 'a'), 5);
      await expect(other.create(definition(1, 'b'), 6)).rejects.toMatchObject({ code: 'definition.conflict' });
      await store.delete(id(1), 7);
      await expect(other.create(definition(1, 'b'), 8)).rejects.toMatchObject({ code: 'definition.conflict' });
      expect(await other.hasEverExisted(id(1))).toBe(true);
      expect(await other.hasEverExisted(id(2))).toBe(false);
    });

    it('shows nothing of a deleted endpoint, and gives its name to the next', async () => {
      await store.create(definition(1, 'a'), 5);
      await store.delete(id(1), 7);
      expect(await other.findById(id(1))).toBeUndefined();
      expect(await other.findPrimary('a')).toBeUndefined();
      expect(await other.list()).toEqual([]);
      expect(await other.listVersions(id(1))).toEqual([]);
      await expect(other.change(definition(1, 'a'), 8)).rejects.toMatchObject({ code: 'endpoint.unknown' });
      await expect(other.setPrimary(id(1))).rejects.toMatchObject({ code: 'endpoint.unknown' });
      await expect(other.delete(id(1), 8)).rejects.toMatchObject({ code: 'endpoint.unknown' });
      expect((await store.create(definition(2, 'a'), 9)).primary).toBe(true);
    });

    it('does not leave namesakes without a primary, neither by deleting nor by renaming it', async () => {
      await store.create(definition(1, 'a'), 5);
      await store.create(definition(2, 'a'), 5);
      await expect(store.delete(id(1), 6)).rejects.toMatchObject({ code: 'definition.conflict' });
      await expect(store.change(definition(1, 'b'), 6)).rejects.toMatchObject({ code: 'definition.conflict' });
      expect(await store.findById(id(1))).toMatchObject({ version: 1, name: 'a', primary: true });
      await store.delete(id(2), 7);
      await store.delete(id(1), 8);
    });

    it('stays primary under a new name only if no other endpoint has it', async () => {
      await store.create(definition(1, 'a'), 5);
      await store.create(definition(2, 'b'), 5);
      expect(await store.change(definition(1, 'c'), 6)).toMatchObject({ name: 'c', primary: true, version: 2 });
      expect(await primaryId('a')).toBeUndefined();
      expect(await store.change(definition(1, 'b'), 7)).toMatchObject({ name: 'b', primary: false, version: 3 });
      expect(await primaryId('b')).toBe(id(2));
      expect((await store.findVersion(id(1), 1))?.name).toBe('a');
    });

    it('keeps deleted endpoints with their versions, and restores one as its next version', async () => {
      const first = await store.create(definition(1, 'a'), 5);
      const second = await store.change(definition(1, 'a', { max_rows: 7 }), 6);
      await store.create(definition(2, 'b'), 5);
      expect(await other.deleted.find(id(1))).toBeUndefined();
      await store.delete(id(1), 7);
      const deleted = { ...second, primary: false, deletedAtMicros: 7 };
      expect(await other.deleted.find(id(1).toUpperCase())).toEqual(deleted);
      expect(await other.deleted.listPage({ limit: 9, after: null, name: null })).toEqual([deleted]);
      expect(await other.deleted.listPage({ limit: 9, after: null, name: 'b' })).toEqual([]);
      expect(await other.deleted.findVersion(id(1), 1)).toEqual({ ...first, primary: false, deletedAtMicros: 7 });
      expect((await other.deleted.listVersions(id(1), { limit: 9, before: 2 })).map((each) => each.version)).toEqual([
        1,
      ]);
      const restore = { kind: 'restore', definition: definition(1, 'a'), expected: 2 } as const;
      await expect(store.apply([{ ...restore, expected: 1 }], by)).rejects.toMatchObject({
        code: 'request.precondition_failed',
      });
      expect(await store.apply([restore], by)).toMatchObject([
        { version: 3, maxRows: 1000, primary: true, author: 'k3y' },
      ]);
      expect(await other.findById(id(1))).toMatchObject({ version: 3, createdAtMicros: 5 });
      expect((await other.listVersions(id(1))).map((each) => each.version)).toEqual([3, 2, 1]);
      expect(await other.deleted.find(id(1))).toBeUndefined();
      await expect(store.apply([{ ...restore, expected: null }], by)).rejects.toMatchObject({
        code: 'definition.conflict',
      });
      const unknown = { ...restore, definition: definition(9, 'a') };
      await expect(store.apply([unknown], by)).rejects.toMatchObject({ code: 'endpoint.unknown' });
    });

    it('restores a deleted endpoint as a namesake if its name was taken meanwhile', async () => {
      await store.create(definition(1, 'a'), 5);
      await store.delete(id(1), 6);
      await store.create(definition(2, 'a'), 7);
      const restore = { kind: 'restore', definition: definition(1, 'a'), expected: null } as const;
      await expect(store.apply([{ ...restore, mayShareName: false }], by)).rejects.toMatchObject({
        code: 'definition.conflict',
        errors: [{ parameter: 'name', value: 'a', holder: id(2) }],
      });
      const [back] = await store.apply([restore], by);
      expect(back).toMatchObject({ id: id(1), primary: false });
      expect(await primaryId('a')).toBe(id(2));
    });

    const by = { nowMicros: 6, author: 'k3y', note: 'why' };

    it('makes several changes at once, and returns the endpoints as they are after all changes', async () => {
      await store.create(definition(1, 'a'), 5);
      const results = await store.apply(
        [
          { kind: 'create', definition: definition(2, 'a') },
          { kind: 'change', definition: definition(1, 'a', { max_rows: 7 }), expected: 1 },
          { kind: 'primary', id: id(2).toUpperCase() },
        ],
        by,
      );
      expect(results).toMatchObject([
        { id: id(2), version: 1, primary: true, author: 'k3y', note: 'why', createdAtMicros: 6 },
        { id: id(1), version: 2, primary: false, author: 'k3y', maxRows: 7 },
        { id: id(2), version: 1, primary: true },
      ]);
      expect(await other.findById(id(1))).toEqual(results[1]);
      expect((await other.findVersion(id(1), 1))?.author).toBeNull();
    });

    it('makes none of several changes if one is refused', async () => {
      await store.create(definition(1, 'a'), 5);
      const generation = await other.generation();
      const changes = [
        { kind: 'create', definition: definition(2, 'b') },
        { kind: 'change', definition: definition(9, 'c'), expected: null },
      ] as const;
      await expect(store.apply(changes, by)).rejects.toMatchObject({ code: 'endpoint.unknown' });
      expect(await other.findById(id(2))).toBeUndefined();
      expect(await other.hasEverExisted(id(2))).toBe(false);
      expect(await other.generation()).toBe(generation);
    });

    it('tries changes out without storing them', async () => {
      await store.create(definition(1, 'a'), 5);
      const [before, own] = [await other.generation(), store.changesSeen];
      const change = { kind: 'change', definition: definition(1, 'b'), expected: 1 } as const;
      expect(await store.tryOut([change], by)).toMatchObject([{ version: 2, name: 'b', primary: true }]);
      const create = { kind: 'create', definition: definition(1, 'c') } as const;
      await expect(store.tryOut([create], by)).rejects.toMatchObject({ code: 'definition.conflict' });
      expect(await other.listVersions(id(1))).toMatchObject([{ version: 1, name: 'a' }]);
      expect([await other.generation(), store.changesSeen]).toEqual([before, own]);
    });

    it('changes nothing if the version is not the expected one', async () => {
      await store.create(definition(1, 'a'), 5);
      const tries = await Promise.allSettled(
        [store, other, store].map((each, n) =>
          each.apply([{ kind: 'change', definition: definition(1, 'a', { max_rows: n + 1 }), expected: 1 }], by),
        ),
      );
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.listVersions(id(1))).toHaveLength(2);
      await expect(store.apply([{ kind: 'delete', id: id(1), expected: 1 }], by)).rejects.toMatchObject({
        code: 'request.precondition_failed',
      });
      const [last] = await store.apply([{ kind: 'delete', id: id(1), expected: 2 }], by);
      expect(last).toMatchObject({ id: id(1), version: 2 });
      expect(await store.findById(id(1))).toBeUndefined();
    });

    it('returns pages that have each endpoint once, and pages of versions', async () => {
      for (const [n, name] of [
        [3, 'b'],
        [1, 'a'],
        [2, 'b'],
        [4, 'c'],
      ] as const)
        await store.create(definition(n, name), 5);
      await store.delete(id(4), 6);
      const first = await other.listPage({ limit: 2, after: null, name: null });
      expect(first.map((each) => each.id)).toEqual([id(1), id(2)]);
      const second = await other.listPage({ limit: 2, after: { name: 'b', id: id(2) }, name: null });
      expect(second.map((each) => [each.id, each.primary])).toEqual([[id(3), true]]);
      expect((await other.listPage({ limit: 9, after: null, name: 'b' })).map((each) => each.id)).toEqual([
        id(2),
        id(3),
      ]);
      expect(await store.listHeads()).toEqual([
        { id: id(1), name: 'a', version: 1, primary: true, updatedAtMicros: 5 },
        { id: id(3), name: 'b', version: 1, primary: true, updatedAtMicros: 5 },
        { id: id(2), name: 'b', version: 1, primary: false, updatedAtMicros: 5 },
      ]);
      for (const maxRows of [2, 3, 4]) await store.change(definition(1, 'a', { max_rows: maxRows }), 6);
      const versions = async (limit: number, before: number | null) =>
        (await other.listVersions(id(1), { limit, before })).map(({ version }) => version);
      expect(await versions(3, null)).toEqual([4, 3, 2]);
      expect(await versions(3, 2)).toEqual([1]);
    });

    it('counts changes for every process, and its own at once', async () => {
      let generation = await other.generation();
      const own = store.changesSeen;
      const changes = [
        () => store.create(definition(1, 'a'), 5),
        () => store.change(definition(1, 'a'), 6),
        () => store.setPrimary(id(1)),
        () => store.delete(id(1), 7),
      ];
      for (const change of changes) {
        await change();
        const now = await other.generation();
        expect(now).toBeGreaterThan(generation);
        generation = now;
      }
      expect(store.changesSeen).toBe(own + changes.length);
      expect(other.changesSeen).toBe(0);
    });
  });
}
