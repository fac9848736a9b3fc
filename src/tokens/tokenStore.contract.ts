import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseScope } from './scope.ts';
import { hashToken } from './tokenFormat.ts';
import { tokenState, tokenStates } from './tokenState.ts';
import type { TokenPageQuery, TokenRecord, TokenStore } from './tokenStore.ts';

export interface TokenStoreFixture {
  /** Two stores over the same data, as two processes have them. */
  readonly store: TokenStore;
  readonly other: TokenStore;
  readonly close: () => Promise<void>;
}

const record = (publicId: string, changes: Partial<TokenRecord> = {}): TokenRecord => ({
  publicId,
  secretHash: hashToken(`secret of ${publicId}`),
  description: 'for a test',
  scopes: [parseScope('query'), parseScope('ingest:source:edge_logs')],
  slot: null,
  restrictions: null,
  createdAtMicros: 1_777_000_000_000_001,
  expiresAtMicros: null,
  lastUsedAtMicros: null,
  revokedAtMicros: null,
  previous: null,
  ...changes,
});

const manager = (publicId: string): TokenRecord => record(publicId, { scopes: [parseScope('manage')] });

const configured = (publicId: string, value: string, changes: Partial<TokenRecord> = {}): TokenRecord =>
  record(publicId, { slot: 'query', scopes: [parseScope('query')], secretHash: hashToken(value), ...changes });

/** The tests that every adapter of TokenStore must pass. */
export function tokenStoreContract(name: string, open: () => Promise<TokenStoreFixture>): void {
  describe(`${name} as a TokenStore`, () => {
    let fixture: TokenStoreFixture;
    let store: TokenStore;
    let other: TokenStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, other } = fixture);
    });
    afterEach(() => fixture.close());

    it('returns every field of a token, also through another process', async () => {
      const token = record('aaaaaaaaaaaa', {
        expiresAtMicros: 1_888_000_000_000_999,
        description: 'Ünïcode, "quotes"',
      });
      await store.create(token);
      expect(await store.findByPublicId('aaaaaaaaaaaa')).toEqual(token);
      expect(await other.findByPublicId('aaaaaaaaaaaa')).toEqual(token);
      expect(await store.findByPublicId('AAAAAAAAAAAA')).toBeUndefined();
    });

    it('never uses a public ID twice, not even that of a revoked token', async () => {
      await store.create(record('aaaaaaaaaaaa'));
      await store.revoke('aaaaaaaaaaaa', 5);
      await expect(other.create(record('aaaaaaaaaaaa', { description: 'second' }))).rejects.toThrow(Error);
      expect((await store.list()).map((token) => token.description)).toEqual(['for a test']);
    });

    it('lists the oldest first, revoked ones too', async () => {
      await store.create(record('cccccccccccc', { createdAtMicros: 3 }));
      await store.create(record('aaaaaaaaaaaa', { createdAtMicros: 2 }));
      await store.create(record('bbbbbbbbbbbb', { createdAtMicros: 1 }));
      await store.revoke('bbbbbbbbbbbb', 9);
      expect((await store.list()).map((token) => [token.publicId, token.revokedAtMicros])).toEqual([
        ['bbbbbbbbbbbb', 9],
        ['aaaaaaaaaaaa', null],
        ['cccccccccccc', null],
      ]);
    });

    it('lists in pages, even if many were made at the same time, and by state', async () => {
      const ids = ['d', 'b', 'a', 'c', 'e'].map((letter) => letter.repeat(12));
      for (const [i, id] of ids.entries()) {
        await store.create(record(id, { createdAtMicros: i === 4 ? 1 : 2, expiresAtMicros: i === 3 ? 50 : null }));
      }
      await store.revoke(ids[1] ?? '', 9);
      const all = await other.list();
      const seen: string[] = [];
      for (let after: TokenPageQuery['after'] = null; ; ) {
        const page = await other.page({ limit: 2, after, state: null, nowMicros: 50 });
        seen.push(...page.map(({ publicId }) => publicId));
        const last = page.at(-1);
        if (last === undefined) break;
        after = [last.createdAtMicros, last.publicId];
      }
      expect(seen).toEqual(all.map(({ publicId }) => publicId));
      for (const nowMicros of [49, 50]) {
        for (const state of tokenStates) {
          const page = await store.page({ limit: 100, after: null, state, nowMicros });
          expect(page).toEqual(all.filter((each) => tokenState(each, nowMicros) === state));
        }
      }
    });

    it('revokes once, and keeps the first time', async () => {
      await store.create(record('aaaaaaaaaaaa'));
      expect(await store.revoke('aaaaaaaaaaaa', 7)).toBe(true);
      expect(await other.revoke('aaaaaaaaaaaa', 8)).toBe(false);
      expect(await store.revoke('zzzzzzzzzzzz', 8)).toBe(false);
      expect((await other.findByPublicId('aaaaaaaaaaaa'))?.revokedAtMicros).toBe(7);
    });

    it('gives a token a new secret, and keeps the previous one', async () => {
      await store.create(record('aaaaaaaaaaaa', { secretHash: hashToken('first') }));
      const before = await other.generation();
      expect(await other.rotate('aaaaaaaaaaaa', hashToken('second'), 70)).toBe(true);
      expect(await store.findByPublicId('aaaaaaaaaaaa')).toEqual(
        record('aaaaaaaaaaaa', {
          secretHash: hashToken('second'),
          previous: { secretHash: hashToken('first'), untilMicros: 70 },
        }),
      );
      expect(await store.generation()).toBeGreaterThan(before);
      await store.rotate('aaaaaaaaaaaa', hashToken('third'), 80);
      expect(await other.findByPublicId('aaaaaaaaaaaa')).toMatchObject({
        secretHash: hashToken('third'),
        previous: { secretHash: hashToken('second'), untilMicros: 80 },
      });
    });

    it('does not rotate a revoked or unknown token', async () => {
      const kept = record('aaaaaaaaaaaa', { revokedAtMicros: 5 });
      await store.create(kept);
      expect(await store.rotate('aaaaaaaaaaaa', hashToken('second'), 70)).toBe(false);
      expect(await store.rotate('zzzzzzzzzzzz', hashToken('second'), 70)).toBe(false);
      expect(await store.list()).toEqual([kept]);
    });

    it('counts changes for every process, and its own at once', async () => {
      const before = { generation: await other.generation(), own: store.changesSeen, othersOwn: other.changesSeen };
      await store.create(record('aaaaaaaaaaaa'));
      const created = await other.generation();
      expect(created).toBeGreaterThan(before.generation);
      expect(store.changesSeen).toBeGreaterThan(before.own);
      expect(other.changesSeen).toBe(before.othersOwn);
      await store.revoke('aaaaaaaaaaaa', 5);
      expect(await other.generation()).toBeGreaterThan(created);
    });

    it('does not count times of last use as changes', async () => {
      await store.create(record('aaaaaaaaaaaa'));
      const generation = await store.generation();
      await store.recordUse(new Map([['aaaaaaaaaaaa', 10]]));
      expect(await store.generation()).toBe(generation);
    });

    it('never moves a time of last use back, and ignores unknown ids', async () => {
      await store.create(record('aaaaaaaaaaaa'));
      await store.recordUse(
        new Map([
          ['aaaaaaaaaaaa', 10],
          ['zzzzzzzzzzzz', 10],
        ]),
      );
      await other.recordUse(new Map([['aaaaaaaaaaaa', 9]]));
      await other.recordUse(new Map());
      expect((await store.findByPublicId('aaaaaaaaaaaa'))?.lastUsedAtMicros).toBe(10);
      await other.recordUse(new Map([['aaaaaaaaaaaa', 11]]));
      expect((await store.findByPublicId('aaaaaaaaaaaa'))?.lastUsedAtMicros).toBe(11);
    });

    it('makes a first manager once, however many processes try', async () => {
      expect(await store.hasHadManager()).toBe(false);
      await store.create(record('qqqqqqqqqqqq'));
      expect(await store.hasHadManager()).toBe(false);
      const made = await Promise.all([
        store.createFirstManager(manager('aaaaaaaaaaaa')),
        other.createFirstManager(manager('bbbbbbbbbbbb')),
      ]);
      expect(made.filter((isMade) => isMade)).toHaveLength(1);
      expect(await other.hasHadManager()).toBe(true);
      expect(await store.list()).toHaveLength(2);
    });

    it('remembers a revoked manager', async () => {
      await store.createFirstManager(manager('aaaaaaaaaaaa'));
      await store.revoke('aaaaaaaaaaaa', 5);
      expect(await other.hasHadManager()).toBe(true);
      expect(await other.createFirstManager(manager('bbbbbbbbbbbb'))).toBe(false);
    });

    it('finds a live configured token by its hash, never a created one', async () => {
      const value = configured('aaaaaaaaaaaa', 'v1');
      await store.create(record('bbbbbbbbbbbb', { secretHash: hashToken('v2') }));
      expect(await store.configure('query', value, 5)).toBe('changed');
      expect(await other.findConfigured(hashToken('v1'))).toEqual(value);
      expect(await other.findConfigured(hashToken('v2'))).toBeUndefined();
    });

    it('revokes the token of a slot when its value changes or is removed', async () => {
      await store.configure('query', configured('aaaaaaaaaaaa', 'v1'), 5);
      await store.configure('query', configured('bbbbbbbbbbbb', 'v2'), 6);
      expect(await other.findConfigured(hashToken('v1'))).toBeUndefined();
      expect((await other.findConfigured(hashToken('v2')))?.publicId).toBe('bbbbbbbbbbbb');
      expect(await store.configure('query', undefined, 7)).toBe('changed');
      expect(await other.findConfigured(hashToken('v2'))).toBeUndefined();
      expect((await store.list()).map((token) => token.revokedAtMicros)).toEqual([6, 7]);
    });

    it('keeps the token of a slot while its value stays, and accepts an old value again', async () => {
      await store.configure('query', configured('aaaaaaaaaaaa', 'v1'), 5);
      expect(await other.configure('query', configured('bbbbbbbbbbbb', 'v1'), 6)).toBe('unchanged');
      expect((await store.findConfigured(hashToken('v1')))?.publicId).toBe('aaaaaaaaaaaa');
      expect(await store.configure('ingest', undefined, 6)).toBe('unchanged');
      await store.configure('query', configured('cccccccccccc', 'v2'), 7);
      await store.configure('query', configured('dddddddddddd', 'v1'), 8);
      expect((await store.findConfigured(hashToken('v1')))?.publicId).toBe('dddddddddddd');
    });

    it('keeps the token of a slot when only its scopes change, with the new ones', async () => {
      const first = configured('aaaaaaaaaaaa', 'v1');
      await store.configure('query', first, 5);
      const scopes = [parseScope('query'), parseScope('manage')];
      expect(await store.hasHadManager()).toBe(false);
      expect(await store.configure('query', configured('bbbbbbbbbbbb', 'v1', { scopes }), 6)).toBe('changed');
      expect(await other.findConfigured(hashToken('v1'))).toEqual({ ...first, scopes });
      expect(await other.list()).toEqual([{ ...first, scopes }]);
      expect(await other.hasHadManager()).toBe(true);
    });

    it('keeps a configured token revoked that somebody has revoked, whatever is configured meanwhile', async () => {
      const revoke = async (publicId: string) =>
        await store.revoke(publicId, 6, () => [
          { atMicros: 6, actor: null, action: 'token.revoke', target: publicId, version: null, requestId: null },
        ]);
      await store.configure('query', configured('aaaaaaaaaaaa', 'leaked'), 5);
      await revoke('aaaaaaaaaaaa');
      expect(await other.configure('query', configured('bbbbbbbbbbbb', 'leaked'), 7)).toBe('revoked');
      expect(await store.configure('ingest', { ...configured('cccccccccccc', 'leaked'), slot: 'ingest' }, 7)).toBe(
        'revoked',
      );
      expect(await store.findConfigured(hashToken('leaked'))).toBeUndefined();
      expect(await store.configure('query', configured('dddddddddddd', 'other'), 8)).toBe('changed');
      expect(await store.configure('query', configured('eeeeeeeeeeee', 'leaked'), 9)).toBe('revoked');
      // The other value is no longer configured.
      expect(await other.findConfigured(hashToken('other'))).toBeUndefined();
      expect((await store.list()).map(({ publicId }) => publicId)).toEqual(['aaaaaaaaaaaa', 'dddddddddddd']);
    });

    it('accepts a configured value that is the text of a created token', async () => {
      await store.create(record('aaaaaaaaaaaa', { secretHash: hashToken('same') }));
      await store.configure('query', configured('bbbbbbbbbbbb', 'same'), 5);
      expect((await store.findConfigured(hashToken('same')))?.publicId).toBe('bbbbbbbbbbbb');
      expect((await store.findByPublicId('aaaaaaaaaaaa'))?.revokedAtMicros).toBeNull();
    });
  });
}
