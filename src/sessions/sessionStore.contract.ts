import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashToken } from '../tokens/tokenFormat.ts';
import type { TokenRecord, TokenStore } from '../tokens/tokenStore.ts';
import type { SessionRecord, SessionStore } from './sessionStore.ts';

export interface SessionStoreFixture {
  /** Two stores over the same data, as two processes have them, with at most three live sessions of a token. */
  readonly store: SessionStore;
  readonly other: SessionStore;
  /** Tokens in the same data. */
  readonly tokens: TokenStore;
  readonly close: () => Promise<void>;
}

const record = (secret: string, changes: Partial<SessionRecord> = {}): SessionRecord => ({
  secretHash: hashToken(secret),
  tokenId: 'aaaaaaaaaaaa',
  tokenHash: hashToken('a token'),
  createdAtMicros: 1_777_000_000_000_001,
  expiresAtMicros: 1_777_000_000_000_999,
  ...changes,
});

/** The tests that every adapter of SessionStore must pass. */
export function sessionStoreContract(name: string, open: () => Promise<SessionStoreFixture>): void {
  describe(`${name} as a SessionStore`, () => {
    let fixture: SessionStoreFixture;
    let store: SessionStore;
    let other: SessionStore;
    beforeEach(async () => {
      fixture = await open();
      ({ store, other } = fixture);
    });
    afterEach(() => fixture.close());

    it('returns every field of a session, also through another process', async () => {
      await store.create(record('a'));
      expect(await store.find(hashToken('a'))).toEqual(record('a'));
      expect(await other.find(hashToken('a'))).toEqual(record('a'));
      expect(await other.find(hashToken('b'))).toBeUndefined();
    });

    it('stores a session and its new token together, or neither', async () => {
      const token: TokenRecord = {
        publicId: 'aaaaaaaaaaaa',
        secretHash: hashToken('a token'),
        description: '',
        scopes: [{ kind: 'query' }],
        slot: null,
        restrictions: null,
        createdAtMicros: 1_777_000_000_000_001,
        expiresAtMicros: null,
        lastUsedAtMicros: null,
        revokedAtMicros: null,
        previous: null,
      };
      const before = await fixture.tokens.generation();
      await store.create(record('a'), undefined, token);
      expect(await fixture.tokens.findByPublicId('aaaaaaaaaaaa')).toEqual(token);
      expect(await other.find(hashToken('a'))).toEqual(record('a'));
      expect(await fixture.tokens.generation()).toBe(before + 1);
      // Its session exists already.
      const another = { ...token, publicId: 'bbbbbbbbbbbb', secretHash: hashToken('another') };
      await expect(store.create(record('a'), undefined, another)).rejects.toThrow();
      expect(await fixture.tokens.findByPublicId('bbbbbbbbbbbb')).toBeUndefined();
      // Its token exists already.
      await expect(store.create(record('b'), undefined, token)).rejects.toThrow();
      expect(await other.find(hashToken('b'))).toBeUndefined();
    });

    it('ends one session, once, and counts it for every process', async () => {
      await store.create(record('a'));
      await store.create(record('b'));
      const before = [store.changesSeen, await other.generation()] as const;
      expect(await store.end(hashToken('a'))).toBe(true);
      expect([store.changesSeen, await other.generation()]).toEqual([before[0] + 1, before[1] + 1]);
      expect(await other.end(hashToken('a'))).toBe(false);
      expect(await other.find(hashToken('a'))).toBeUndefined();
      expect(await other.find(hashToken('b'))).toEqual(record('b'));
    });

    it('ends every session of a token, and none of another', async () => {
      await store.create(record('a'));
      await store.create(record('b'));
      await store.create(record('c', { tokenId: 'bbbbbbbbbbbb' }));
      const before = await other.generation();
      expect(await store.endAllOf('aaaaaaaaaaaa')).toBe(2);
      expect(await other.generation()).toBe(before + 1);
      expect(await store.endAllOf('aaaaaaaaaaaa')).toBe(0);
      expect([await other.find(hashToken('a')), await other.find(hashToken('b'))]).toEqual([undefined, undefined]);
      expect(await other.find(hashToken('c'))).toBeDefined();
    });

    it('removes expired sessions with the next one, which no process needs to know', async () => {
      await store.create(record('a'));
      const before = await other.generation();
      await store.create(
        record('b', { createdAtMicros: 1_777_000_000_000_999, expiresAtMicros: 1_777_000_000_001_999 }),
      );
      expect(await other.generation()).toBe(before);
      expect(await other.find(hashToken('a'))).toBeUndefined();
      expect(await other.find(hashToken('b'))).toBeDefined();
    });

    it('ends the oldest session of a token that has too many, and tells every process', async () => {
      const of = (n: number) => record(`${n}`, { createdAtMicros: 1_777_000_000_000_001 + n });
      await store.create(record('of another', { tokenId: 'bbbbbbbbbbbb' }));
      for (let n = 0; n < 3; n++) await store.create(of(n));
      const before = await other.generation();
      expect(await other.find(hashToken('0'))).toBeDefined();
      await store.create(of(3));
      expect(await other.generation()).toBe(before + 1);
      expect(await other.find(hashToken('0'))).toBeUndefined();
      for (const secret of ['1', '2', '3', 'of another']) expect(await other.find(hashToken(secret))).toBeDefined();
    });
  });
}
