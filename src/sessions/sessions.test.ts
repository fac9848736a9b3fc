import { expect, it } from 'vitest';
import { systemRandomness } from '../core/ids.ts';
import { OneTimeCodes } from './oneTimeCodes.ts';
import { Sessions } from './sessions.ts';

const request = { nowMicros: 1_777_000_000_000_000, requestId: 'r' };

it('lets a code be used again if its session cannot be stored', async () => {
  let isFull = true;
  const codes = new OneTimeCodes(systemRandomness);
  const store = {
    changesSeen: 0,
    generation: async () => 0,
    create: async () => {
      if (isFull) throw new Error('the disk is full');
    },
    find: async () => undefined,
    end: async () => false,
    endAllOf: async () => 0,
  };
  const tokens = { create: async () => undefined };
  const authenticator = { withHash: async () => undefined };
  const sessions = new Sessions({ store, tokens, authenticator, codes, randomness: systemRandomness });
  const code = codes.issue(request.nowMicros);
  const signIn = () => sessions.redeem(code, request, (token) => sessions.begin(token, request));
  await expect(signIn()).rejects.toThrow('the disk is full');
  isFull = false;
  expect((await signIn()).secret).toMatch(/^[\w-]{43}$/);
  await expect(signIn()).rejects.toThrow('was used before');
});
