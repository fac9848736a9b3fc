import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { systemRandomness } from '../core/ids.ts';
import { SqlAuditTrail } from '../stores/sql/sqlAuditTrail.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import type { TwoConnections } from '../stores/sql/twoConnections.fixture.ts';
import { openTwice } from '../stores/sqlite/openTwice.fixture.ts';
import { Authenticator } from '../tokens/authenticator.ts';
import { syncConfiguredTokens } from '../tokens/configuredTokens.ts';
import { restrictedTo, restrictionsOf } from '../tokens/restrictions.ts';
import { allScopes, parseScopes } from '../tokens/scope.ts';
import type { TokenPageQuery } from '../tokens/tokenStore.ts';
import { TokenManagement, type TokenManager } from './tokenManagement.ts';
import { tokenView } from './tokenView.ts';

let connections: TwoConnections;
let clock: ManualClock;
let store: SqlTokenStore;
let audit: SqlAuditTrail;
let tokens: TokenManagement;

beforeEach(async () => {
  connections = await openTwice();
  clock = new ManualClock(1_777_000_000_000_000);
  store = new SqlTokenStore(connections.first);
  audit = new SqlAuditTrail(connections.first);
  tokens = new TokenManagement({ store, clock, randomness: systemRandomness });
});
afterEach(() => connections.close());

const owner: TokenManager = { token: null, requestId: null };
const ofProject: TokenManager = {
  token: {
    publicId: 'manageroftwo',
    scopes: allScopes,
    restrictions: restrictedTo(['a', 'b']),
    expiresAtMicros: null,
  },
  requestId: 'request-1',
};
const request = { description: '', scopes: parseScopes(['query']) };
const all: Omit<TokenPageQuery, 'nowMicros'> = { limit: 100, after: null, state: null };

const trail = async () =>
  (await audit.list({ limit: 100, beforeSequence: null, actor: null }))
    .map(({ actor, action, target, requestId }) => [actor, action, target, requestId])
    .reverse();

describe('TokenManagement', () => {
  it('records each action and its actor, and nothing without an action', async () => {
    const { record } = await tokens.create({ ...request, restrictions: restrictedTo(['a']) }, ofProject);
    await tokens.rotate(record.publicId, 0, ofProject);
    expect((await tokens.revoke(record.publicId, owner)).isNew).toBe(true);
    expect((await tokens.revoke(record.publicId, owner)).isNew).toBe(false);
    await expect(tokens.create(request, ofProject)).rejects.toMatchObject({ code: 'auth.project' });
    await expect(tokens.rotate(record.publicId, 0, owner)).rejects.toMatchObject({ code: 'token.conflict' });
    expect(await trail()).toEqual([
      ['manageroftwo', 'token.create', record.publicId, 'request-1'],
      ['manageroftwo', 'token.rotate', record.publicId, 'request-1'],
      [null, 'token.revoke', record.publicId, null],
    ]);
  });

  it('hides tokens with other projects from a token of some projects, which cannot revoke them', async () => {
    const { record: mine } = await tokens.create({ ...request, restrictions: restrictedTo(['b']) }, owner);
    clock.advanceMs(1);
    const { record: open } = await tokens.create(request, owner);
    clock.advanceMs(1);
    const { record: others } = await tokens.create({ ...request, restrictions: restrictedTo(['b', 'c']) }, owner);
    expect((await tokens.list(all, ofProject)).map(({ publicId }) => publicId)).toEqual([mine.publicId]);
    // Also where its own begin far behind those of others.
    for (let i = 0; i < 5; i++) {
      clock.advanceMs(1);
      await tokens.create({ ...request, restrictions: restrictedTo(['c']) }, owner);
    }
    clock.advanceMs(1);
    const { record: late } = await tokens.create({ ...request, restrictions: restrictedTo(['a']) }, owner);
    const pages = [
      await tokens.list({ ...all, limit: 1 }, ofProject),
      await tokens.list({ ...all, limit: 1, after: [mine.createdAtMicros, mine.publicId] }, ofProject),
      await tokens.list({ ...all, limit: 1, after: [late.createdAtMicros, late.publicId] }, ofProject),
    ];
    expect(pages.flat().map(({ publicId }) => publicId)).toEqual([mine.publicId, late.publicId]);
    expect(await tokens.list(all, owner)).toHaveLength(9);
    for (const { publicId } of [open, others, { publicId: 'zzzzzzzzzzzz' }]) {
      for (const doing of [
        tokens.find(publicId, ofProject),
        tokens.revoke(publicId, ofProject),
        tokens.rotate(publicId, 0, ofProject),
      ]) {
        await expect(doing).rejects.toMatchObject({ code: 'token.unknown' });
      }
    }
    expect((await tokens.find(mine.publicId, ofProject)).revokedAtMicros).toBeNull();
  });

  it('does not rotate a token with more rights than the requester, who would get its secret', async () => {
    const { record } = await tokens.create({ ...request, scopes: parseScopes(['query', 'ingest']) }, owner);
    const narrower = {
      ...ofProject,
      token: { publicId: 'x', scopes: parseScopes(['manage', 'query']), restrictions: null, expiresAtMicros: null },
    };
    await expect(tokens.rotate(record.publicId, 0, narrower)).rejects.toMatchObject({ code: 'auth.scope' });
    expect(await store.findByPublicId(record.publicId)).toEqual(record);
    await tokens.rotate(record.publicId, 0, owner);
  });

  it('keeps the old secret valid during the overlap', async () => {
    const authenticator = new Authenticator(store);
    const { text, record } = await tokens.create({ ...request, restrictions: restrictionsOf({ max_rows: 5 }) }, owner);
    const rotated = await tokens.rotate(record.publicId, 60, owner);
    expect(rotated.text).not.toBe(text);
    for (const secret of [text, rotated.text]) {
      expect((await authenticator.authenticate(secret, clock.nowMicros())).restrictions).toEqual(record.restrictions);
    }
    expect(tokenView(rotated.record, clock.nowMicros()).previous_secret_until).toBe('2026-04-24T03:07:40.000Z');
    clock.advanceMs(60_000);
    await expect(authenticator.authenticate(text, clock.nowMicros())).rejects.toMatchObject({ code: 'auth.invalid' });
    expect(tokenView(rotated.record, clock.nowMicros()).previous_secret_until).toBeNull();
  });

  it('refuses to rotate a configured or ended token, or with an overlap of more than a week', async () => {
    await syncConfiguredTokens(store, [{ slot: 'query', value: 'q'.repeat(32) }], systemRandomness, clock.nowMicros());
    const [configured] = await store.list();
    await expect(tokens.rotate(configured?.publicId ?? '', 0, owner)).rejects.toThrow('LOGMILL_QUERY_TOKEN');
    const { record } = await tokens.create({ ...request, expiresAtMicros: clock.nowMicros() + 1 }, owner);
    for (const seconds of [-1, 0.5, 604_801, Number.NaN]) {
      await expect(tokens.rotate(record.publicId, seconds, owner)).rejects.toMatchObject({ code: 'token.invalid' });
    }
    clock.advanceMs(1);
    await expect(tokens.rotate(record.publicId, 0, owner)).rejects.toMatchObject({ code: 'token.conflict' });
  });

  it('lists by state and page, in the order of creation', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) {
      ids.push(
        (await tokens.create({ ...request, expiresAtMicros: i === 0 ? clock.nowMicros() + 1 : null }, owner)).record
          .publicId,
      );
      clock.advanceMs(1);
    }
    await tokens.revoke(ids[1] ?? '', owner);
    const idsOf = async (query: Partial<TokenPageQuery>) =>
      (await tokens.list({ ...all, ...query }, owner)).map(({ publicId }) => publicId);
    expect(await idsOf({})).toEqual(ids);
    expect(await idsOf({ state: 'expired' })).toEqual([ids[0]]);
    expect(await idsOf({ state: 'revoked' })).toEqual([ids[1]]);
    expect(await idsOf({ state: 'live' })).toEqual(ids.slice(2));
    const third = await tokens.find(ids[2] ?? '', owner);
    const rest = await tokens.list({ ...all, limit: 1, after: [third.createdAtMicros, third.publicId] }, owner);
    expect(rest.map(({ publicId }) => publicId)).toEqual([ids[3]]);
  });
});
