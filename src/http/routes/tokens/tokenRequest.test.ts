import { expect, it } from 'vitest';
import { Turns } from '../../../core/concurrency/turns.ts';
import { tokenRequest } from './tokenRequest.ts';

const requestOf = (body: object) =>
  tokenRequest({
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
    turns: new Turns(),
  });

it('says where a restriction belongs that is beside the restrictions', async () => {
  await expect(requestOf({ scopes: ['query'], projects: ['a'] })).rejects.toMatchObject({
    code: 'token.invalid',
    message:
      'The token request is not valid: projects is a member of restrictions; write {"restrictions": {"projects": …}}.',
  });
  const { restrictions } = await requestOf({ scopes: ['query'], restrictions: { projects: ['a'] } });
  expect(restrictions).toEqual({ projects: ['a'] });
});
