import * as z from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import { type Refusal, readMembers } from '../../../core/readMembers.ts';
import type { TokenManager } from '../../../manage/tokenManagement.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import type { TokenRequest } from '../../../tokens/createToken.ts';
import { restrictionsOf, restrictionsSchema } from '../../../tokens/restrictions.ts';
import { parseScopes } from '../../../tokens/scope.ts';
import { type JsonCall, plainJson, readJsonBody } from '../../jsonBody.ts';

/** The body of a request for a token. */
export const tokenInput = z.strictObject(
  {
    description: z.string('must be text').default(''),
    scopes: z
      .array(z.string('must be the name of a scope'), 'must be a list of scopes')
      .min(1, 'must have at least one scope'),
    expires_at: z.iso
      .datetime({ offset: true, error: 'must be a time such as 2027-01-31T00:00:00Z, or null' })
      .nullable()
      .default(null),
    restrictions: z.unknown().default({}),
  },
  'must be a JSON object',
);

/** The body of a rotation. */
export const rotationInput = z.strictObject(
  { overlap_seconds: z.number('must be a number of seconds').default(0) },
  'must be a JSON object',
);

/** The error of a refused request about a token. */
export const tokenRefusal: Refusal = { code: 'token.invalid', sentence: 'The token request is not valid' };

/** Reads the request for a new token. Throws `token.invalid`, which names the wrong member. */
export async function tokenRequest(call: JsonCall): Promise<TokenRequest> {
  const json = plainJson(await readJsonBody(call));
  refuseMisplaced(json);
  const { description, scopes, expires_at, restrictions } = readMembers(tokenInput, json, tokenRefusal);
  return {
    description,
    scopes: parseScopes(scopes),
    restrictions: restrictionsOf(restrictions),
    expiresAtMicros: expires_at === null ? null : Date.parse(expires_at) * 1000,
  };
}

/** A restriction beside `restrictions` restricts nothing, so the error says where it belongs. */
function refuseMisplaced(json: unknown): void {
  if (typeof json !== 'object' || json === null) return;
  const misplaced = Object.keys(json).find((name) => Object.hasOwn(restrictionsSchema.shape, name));
  if (misplaced === undefined) return;
  const message = `is a member of restrictions; write {"restrictions": {"${misplaced}": …}}`;
  throw new ServiceError(tokenRefusal.code, `${tokenRefusal.sentence}: ${misplaced} ${message}.`, {
    errors: [{ parameter: misplaced, message }],
  });
}

/** Seconds for which the old secret remains valid; 0 without a body. */
export async function overlapSeconds(call: JsonCall): Promise<number> {
  if (call.body.length === 0) return 0;
  return readMembers(rotationInput, plainJson(await readJsonBody(call)), tokenRefusal).overlap_seconds;
}

/** The caller's token in its role as a manager of other tokens. */
export function managerOf(token: AuthenticatedToken, requestId: string): TokenManager {
  return { token, requestId };
}
