import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import type { TwoConnections } from '../stores/sql/twoConnections.fixture.ts';
import { openTwice } from '../stores/sqlite/openTwice.fixture.ts';
import { Authenticator } from './authenticator.ts';
import { type ConfiguredToken, syncConfiguredTokens } from './configuredTokens.ts';
import { createToken, type TokenRequest } from './createToken.ts';
import type { TokenReach } from './delegation.ts';
import { ensureAdminToken } from './ensureAdminToken.ts';
import { type RestrictionsJson, restrictedTo, restrictionsOf } from './restrictions.ts';
import { allScopes, formatScope, parseScopes } from './scope.ts';
import { generateSecret, hashToken } from './tokenFormat.ts';

const startMicros = 1_777_000_000_000_000;

let connections: TwoConnections;
/** The server's store, and the store of another process. */
let store: SqlTokenStore;
let other: SqlTokenStore;
let clock: ManualClock;
let authenticator: Authenticator;

beforeEach(async () => {
  connections = await openTwice();
  store = new SqlTokenStore(connections.first);
  other = new SqlTokenStore(connections.second);
  clock = new ManualClock(startMicros);
  authenticator = new Authenticator(store);
});
afterEach(() => connections.close());

const authenticate = (presented: string | undefined) => authenticator.authenticate(presented, clock.nowMicros());
const create = (request: Partial<TokenRequest> = {}) =>
  createToken(
    store,
    { description: 'test', scopes: parseScopes(['query']), ...request },
    systemRandomness,
    clock.nowMicros(),
  );

async function refusal(presented: string | undefined): Promise<{ code: string; message: string }> {
  const error: unknown = await authenticate(presented).then(
    () => new Error('was accepted'),
    (caught: unknown) => caught,
  );
  if (!(error instanceof ServiceError)) throw error;
  return { code: error.code, message: error.message };
}

describe('Authenticator', () => {
  it('finds a token by its text and does not reveal its secret', async () => {
    const { text, record } = await create({ scopes: parseScopes(['query', 'observe']) });
    const token = await authenticate(text);
    expect(token).toEqual({
      publicId: record.publicId,
      description: 'test',
      scopes: parseScopes(['query', 'observe']),
      slot: null,
      restrictions: null,
      expiresAtMicros: null,
    });
    expect(JSON.stringify(token)).not.toContain(record.secretHash);
  });

  it('distinguishes a missing credential from an invalid one', async () => {
    expect((await refusal(undefined)).code).toBe('auth.missing');
    expect((await refusal('')).code).toBe('auth.missing');
  });

  it('answers unknown, malformed, wrong, revoked and expired tokens with the same message', async () => {
    const revoked = await create();
    await store.revoke(revoked.record.publicId, clock.nowMicros());
    const expired = await create({ expiresAtMicros: clock.nowMicros() + 1 });
    const live = await create();
    clock.advanceMs(1);
    const unknown = 'lm_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh0EDDIk';
    const sameId = `lm_${live.record.publicId}${revoked.text.slice(15)}`;
    const answers = await Promise.all(
      [
        revoked.text,
        expired.text,
        unknown,
        sameId,
        'secret',
        `${live.text} `,
        'x'.repeat(100_000),
        '\0',
        live.record.secretHash,
      ].map(refusal),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.code).toBe('auth.invalid');
  });

  it('expires a token at the exact microsecond, even if it is in memory', async () => {
    const { text } = await create({ expiresAtMicros: startMicros + 2000 });
    clock.setMicros(startMicros + 1999);
    await authenticate(text);
    clock.setMicros(startMicros + 2000);
    expect((await refusal(text)).code).toBe('auth.invalid');
  });

  it('sees a revocation by its own process at once, without the clock moving', async () => {
    const { text, record } = await create();
    await authenticate(text);
    await store.revoke(record.publicId, clock.nowMicros());
    expect((await refusal(text)).code).toBe('auth.invalid');
  });

  it('sees a revocation by another process within half a second', async () => {
    const { text, record } = await create();
    await authenticate(text);
    await other.revoke(record.publicId, clock.nowMicros());
    clock.advanceMs(500);
    expect((await refusal(text)).code).toBe('auth.invalid');
  });

  it('does not read the store for each call', async () => {
    const { text, record } = await create();
    await authenticate(text);
    await other.revoke(record.publicId, clock.nowMicros());
    clock.advanceMs(499);
    expect((await authenticate(text)).publicId).toBe(record.publicId);
  });

  it('recognises only valid tokens from memory, as the same object while nothing changes', async () => {
    const { text, record } = await create({ expiresAtMicros: startMicros + 2_000_000 });
    const recognise = (presented: string) => authenticator.recognise(hashToken(presented), clock.nowMicros());
    expect(recognise(text)).toBeUndefined();
    const token = await authenticate(text);
    expect(recognise(text)).toBe(token);
    expect(await authenticate(text)).toBe(token);
    expect(recognise((await create()).text)).toBeUndefined();
    const again = await authenticate(text);
    expect(again).not.toBe(token);
    clock.advanceMs(499);
    expect(recognise(text)).toBe(again);
    // Another process may have changed something since.
    clock.advanceMs(1);
    expect(recognise(text)).toBeUndefined();
    clock.setMicros(startMicros + 1_999_999);
    await authenticate((await create()).text);
    await authenticate(text);
    expect(recognise(text)).toBeDefined();
    clock.setMicros(startMicros + 2_000_000);
    expect(recognise(text)).toBeUndefined();
    clock.setMicros(startMicros);
    await authenticate(text);
    await store.revoke(record.publicId, startMicros);
    expect(recognise(text)).toBeUndefined();
  });

  it('recognises the old secret of a rotated token while it is valid', async () => {
    const { text, record } = await create();
    const newer = generateSecret(record.publicId, systemRandomness);
    await store.rotate(record.publicId, hashToken(newer), startMicros + 100_000);
    const old = await authenticate(text);
    await authenticate(newer);
    expect(authenticator.recognise(hashToken(text), startMicros + 99_999)).toBe(old);
    expect(authenticator.recognise(hashToken(text), startMicros + 100_000)).toBeUndefined();
    expect(authenticator.recognise(hashToken(newer), startMicros + 100_000)).toBeDefined();
  });

  it('sees a revocation though the clock went back', async () => {
    const { text, record } = await create();
    await authenticate(text);
    await other.revoke(record.publicId, clock.nowMicros());
    clock.advanceMs(-3_600_000);
    expect((await refusal(text)).code).toBe('auth.invalid');
  });

  it('never revives a revoked token under concurrent changes', async () => {
    const { text, record } = await create();
    const calls = Array.from({ length: 20 }, () => authenticate(text).catch(() => undefined));
    await Promise.all([...calls, store.revoke(record.publicId, clock.nowMicros())]);
    expect((await refusal(text)).code).toBe('auth.invalid');
  });

  it('accepts a token of another process at once', async () => {
    await refusal('something');
    const { text, record } = await createToken(
      other,
      { description: '', scopes: allScopes },
      systemRandomness,
      clock.nowMicros(),
    );
    expect((await authenticate(text)).publicId).toBe(record.publicId);
  });

  it('writes times of last use in batches, and only of good tokens', async () => {
    const { text, record } = await create();
    const revoked = await create();
    await store.revoke(revoked.record.publicId, clock.nowMicros());
    await authenticate(text);
    clock.advanceMs(10);
    await authenticate(text);
    await refusal(revoked.text);
    expect((await other.findByPublicId(record.publicId))?.lastUsedAtMicros).toBeNull();
    await authenticator.flushLastUsed();
    expect((await other.findByPublicId(record.publicId))?.lastUsedAtMicros).toBe(startMicros + 10_000);
    expect((await other.findByPublicId(revoked.record.publicId))?.lastUsedAtMicros).toBeNull();
  });
});

describe('createToken', () => {
  it('stores only the hash of the text', async () => {
    const { text } = await create();
    expect(JSON.stringify(await store.list())).not.toContain(text.slice(15));
  });

  it.each<[string, Partial<TokenRequest>, string]>([
    ['no scope', { scopes: [] }, 'token.invalid'],
    ['an expiry that is not in the future', { expiresAtMicros: startMicros }, 'token.invalid'],
    ['an expiry that is no number', { expiresAtMicros: Number.NaN }, 'token.invalid'],
    ['a description over several lines', { description: 'a\nb' }, 'token.invalid'],
    ['a long description', { description: 'x'.repeat(201) }, 'token.invalid'],
  ])('refuses %s', async (_title, request, code) => {
    await expect(create(request)).rejects.toMatchObject({ code });
    expect(await store.list()).toEqual([]);
  });

  it('restricts a token to projects, which the authenticator returns', async () => {
    const { text } = await create({ restrictions: restrictedTo(['b', 'a']) });
    expect((await authenticate(text)).restrictions).toEqual({ projects: ['a', 'b'] });
    expect((await authenticate((await create()).text)).restrictions).toBeNull();
  });

  it('accepts the old secret of a rotated token while it is valid, and the new one at once', async () => {
    const { text, record } = await create();
    await authenticate(text);
    const second = generateSecret(record.publicId, systemRandomness);
    await other.rotate(record.publicId, hashToken(second), clock.nowMicros() + 60_000_000);
    clock.advanceMs(1000);
    for (const secret of [text, second]) expect((await authenticate(secret)).publicId).toBe(record.publicId);
    clock.advanceMs(58_999);
    expect((await authenticate(text)).publicId).toBe(record.publicId);
    clock.advanceMs(1);
    expect(await refusal(text)).toMatchObject({ code: 'auth.invalid' });
    expect((await authenticate(second)).publicId).toBe(record.publicId);
    const third = generateSecret(record.publicId, systemRandomness);
    await store.rotate(record.publicId, hashToken(third), clock.nowMicros());
    for (const secret of [text, second]) expect(await refusal(secret)).toMatchObject({ code: 'auth.invalid' });
    await store.revoke(record.publicId, clock.nowMicros());
    expect(await refusal(third)).toMatchObject({ code: 'auth.invalid' });
  });

  it('ends both secrets with their token', async () => {
    const { text, record } = await create({ expiresAtMicros: clock.nowMicros() + 10_000_000 });
    const second = generateSecret(record.publicId, systemRandomness);
    await store.rotate(record.publicId, hashToken(second), clock.nowMicros() + 60_000_000);
    clock.advanceMs(10_000);
    for (const secret of [text, second]) expect(await refusal(secret)).toMatchObject({ code: 'auth.invalid' });
  });

  it('refuses a token with more rights than its maker', async () => {
    const ask = (creator: TokenReach, request: Partial<TokenRequest>) =>
      createToken(
        store,
        { description: '', scopes: parseScopes(['ingest']), ...request },
        systemRandomness,
        clock.nowMicros(),
        creator,
      );
    const own = {
      scopes: parseScopes(['manage', 'ingest']),
      restrictions: restrictedTo(['a', 'b']),
      expiresAtMicros: null,
    };
    await expect(ask(own, { scopes: parseScopes(['query']), restrictions: own.restrictions })).rejects.toMatchObject({
      code: 'auth.scope',
    });
    for (const restrictions of [undefined, null, restrictedTo(['c']), restrictedTo(['a', 'c'])]) {
      const wider = ask(own, restrictions === undefined ? {} : { restrictions });
      await expect(wider).rejects.toMatchObject({ code: 'auth.project', errors: [{ allowed: ['a', 'b'] }] });
    }
    expect(await store.list()).toEqual([]);
    await ask(own, { restrictions: restrictedTo(['b']) });
    // Tokens are listed by the time they were made.
    clock.advanceMs(1);
    await ask({ ...own, restrictions: null }, {});
    expect((await store.list()).map(({ restrictions }) => restrictions)).toEqual([{ projects: ['b'] }, null]);
  });
});

describe('a token that manages', () => {
  it.each<[string, RestrictionsJson]>([
    ['parameter values', { parameters: { project: 'a' } }],
    ['stored queries', { caller_queries: false }],
    ['redacted rows', { redact: true }],
  ])('cannot be restricted to %s, which depend on definitions', async (what, restrictions) => {
    const making = create({ scopes: parseScopes(['manage']), restrictions: restrictionsOf(restrictions) });
    await expect(making).rejects.toMatchObject({ code: 'token.invalid', message: expect.stringContaining(what) });
    await create({ restrictions: restrictionsOf(restrictions) });
    await create({ scopes: parseScopes(['manage']), restrictions: restrictedTo(['a']) });
  });
});

describe('syncConfiguredTokens', () => {
  const value = (letter: string) => letter.repeat(32);
  const sync = (...configured: ConfiguredToken[]) =>
    syncConfiguredTokens(store, configured, systemRandomness, clock.nowMicros());

  it('gives each slot its scopes', async () => {
    await sync(
      { slot: 'admin', value: value('a') },
      { slot: 'query', value: value('q') },
      { slot: 'ingest', value: value('i') },
    );
    expect((await authenticate(value('a'))).scopes).toEqual(allScopes);
    expect((await authenticate(value('q'))).scopes.map(formatScope)).toEqual(['query']);
    expect((await authenticate(value('i'))).scopes.map(formatScope)).toEqual(['ingest']);
    expect((await authenticate(value('q'))).slot).toBe('query');
  });

  it('revokes the old value when another one is given, and when none is', async () => {
    await sync({ slot: 'query', value: value('a') });
    await authenticate(value('a'));
    await sync({ slot: 'query', value: value('b') });
    expect((await refusal(value('a'))).code).toBe('auth.invalid');
    await authenticate(value('b'));
    await sync();
    expect((await refusal(value('b'))).code).toBe('auth.invalid');
  });

  it('keeps unchanged values, and does not touch other tokens', async () => {
    const { text } = await create();
    await sync({ slot: 'query', value: value('a') });
    const before = await authenticate(value('a'));
    await sync({ slot: 'query', value: value('a') });
    expect(await authenticate(value('a'))).toEqual(before);
    await authenticate(text);
  });

  it('accepts a value in the form of a created token, even of a revoked one', async () => {
    const { text, record } = await create({ scopes: parseScopes(['manage']) });
    await store.revoke(record.publicId, clock.nowMicros());
    await sync({ slot: 'query', value: text });
    expect((await authenticate(text)).scopes.map(formatScope)).toEqual(['query']);
  });

  it.each<[string, string]>([
    ['31 characters', 'x'.repeat(31)],
    ['more than 512 characters', 'x'.repeat(513)],
    ['a space', `${'x'.repeat(32)} y`],
    ['a line end, as files have', `${'x'.repeat(32)}\n`],
    ['letters that a header cannot carry', 'ä'.repeat(32)],
  ])('refuses a value with %s, names its setting, and never quotes it', async (_title, text) => {
    await sync({ slot: 'query', value: value('a') });
    const error = await sync({ slot: 'admin', value: text }).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'token.invalid', message: expect.stringContaining('LOGMILL_ADMIN_TOKEN') });
    expect((error as Error).message).not.toContain(text);
    // Nothing is changed before everything is checked.
    await authenticate(value('a'));
  });

  it('refuses the same value for two slots', async () => {
    await expect(
      sync({ slot: 'admin', value: value('a') }, { slot: 'query', value: value('a') }),
    ).rejects.toMatchObject({
      code: 'token.invalid',
      message: expect.stringContaining('LOGMILL_ADMIN_TOKEN and LOGMILL_QUERY_TOKEN'),
    });
  });
});

describe('ensureAdminToken', () => {
  const kept: string[] = [];
  const ensure = () =>
    ensureAdminToken(
      store,
      async (text) => {
        kept.push(text);
      },
      systemRandomness,
      clock.nowMicros(),
    );
  beforeEach(() => kept.splice(0));

  it('makes one token with all scopes, once', async () => {
    const created = await ensure();
    expect(kept).toEqual([created?.text]);
    expect((await authenticate(kept[0])).scopes).toEqual(allScopes);
    expect(await ensure()).toBeUndefined();
    expect(kept).toHaveLength(1);
  });

  it('makes none if one was configured or revoked', async () => {
    await syncConfiguredTokens(store, [{ slot: 'admin', value: 'x'.repeat(32) }], systemRandomness, 5);
    expect(await ensure()).toBeUndefined();
    await syncConfiguredTokens(store, [], systemRandomness, 6);
    expect(await ensure()).toBeUndefined();
  });

  it('stores no token whose secret could not be kept', async () => {
    const failing = ensureAdminToken(store, () => Promise.reject(new Error('disk full')), systemRandomness, 5);
    await expect(failing).rejects.toThrow('disk full');
    expect(await store.list()).toEqual([]);
    expect(await ensure()).toBeDefined();
  });
});
