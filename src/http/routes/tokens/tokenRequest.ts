import { z } from 'zod';
import { type Refusal, readMembers } from '../../../core/readMembers.ts';
import type { TokenManager } from '../../../manage/tokenManagement.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import type { TokenRequest } from '../../../tokens/createToken.ts';
import { restrictionsOf } from '../../../tokens/restrictions.ts';
import { parseScopes } from '../../../tokens/scope.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import type { RouteCall } from '../../route.ts';

const tokenSchema = z.strictObject(
  {
    description: z.string('is text').default(''),
    scopes: z.array(z.string('is the name of a scope'), 'is a list of scopes').min(1, 'has at least one scope'),
    expires_at: z.iso
      .datetime({ offset: true, error: 'is a time such as 2027-01-31T00:00:00Z, or null' })
      .nullable()
      .default(null),
    restrictions: z.unknown().default({}),
  },
  'is no JSON object',
);

const rotationSchema = z.strictObject(
  { overlap_seconds: z.number('is a number of seconds').default(0) },
  'is no JSON object',
);

/** How a request about a token is refused. */
export const tokenRefusal: Refusal = { code: 'token.invalid', sentence: 'The token is refused' };

/** What a request asks of a new token. Throws `token.invalid` that names the member that is wrong. */
export async function tokenRequest({ headers, body }: Pick<RouteCall, 'headers' | 'body'>): Promise<TokenRequest> {
  const { description, scopes, expires_at, restrictions } = readMembers(
    tokenSchema,
    plainJson(await readJsonBody(headers, body)),
    tokenRefusal,
  );
  return {
    description,
    scopes: parseScopes(scopes),
    restrictions: restrictionsOf(restrictions),
    expiresAtMicros: expires_at === null ? null : Date.parse(expires_at) * 1000,
  };
}

/** Seconds that the secret works on that a token had; 0 without a body. */
export async function overlapSeconds({ headers, body }: Pick<RouteCall, 'headers' | 'body'>): Promise<number> {
  if (body.length === 0) return 0;
  return readMembers(rotationSchema, plainJson(await readJsonBody(headers, body)), tokenRefusal).overlap_seconds;
}

/** The token of a call as one that manages others. */
export function managerOf(token: AuthenticatedToken, requestId: string): TokenManager {
  return { token, requestId };
}
