import { expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import { OneTimeCodes } from './oneTimeCodes.ts';
import type { SessionRecord, SessionStore } from './sessionStore.ts';
import { Sessions } from './sessions.ts';

const request = { nowMicros: 1_777_000_000_000_000, requestId: 'r' };

it('lets a code be used again if its session cannot be stored, and stores its token only with the session', async () => {
  let isFull = true;
  const stored: (string | undefined)[] = [];
  const codes = new OneTimeCodes(systemRandomness);
  const store = {
    changesSeen: 0,
    generation: async () => 0,
    create: async (...[{ tokenId }, auditOf, newToken]: Parameters<SessionStore['create']>) => {
      if (isFull) throw new Error('the disk is full');
      expect(auditOf?.({} as SessionRecord).map(({ action, target }) => [action, target])).toEqual([
        ['token.create', tokenId],
        ['session.create', tokenId],
      ]);
      stored.push(newToken?.publicId === tokenId ? newToken.description : undefined);
    },
    find: async () => undefined,
    end: async () => false,
    endAllOf: async () => 0,
  };
  const authenticator = { withHash: async () => undefined };
  const sessions = new Sessions({ store, authenticator, codes, randomness: systemRandomness });
  const code = codes.issue(request.nowMicros);
  const signIn = () => sessions.redeem(code, request, (token) => sessions.begin(token, request));
  await expect(signIn()).rejects.toThrow('the disk is full');
  isFull = false;
  expect((await signIn()).secret).toMatch(/^[\w-]{43}$/);
  await expect(signIn()).rejects.toThrow('was used before');
  expect(stored).toEqual(['for the console, from the link printed at start']);
});
