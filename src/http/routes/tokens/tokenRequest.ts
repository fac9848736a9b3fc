import { z } from 'zod';
import { ServiceError } from '../../../core/errors.ts';
import type { TokenManager } from '../../../manage/tokenManagement.ts';
import type { AuthenticatedToken } from '../../../tokens/authenticator.ts';
import type { TokenRequest } from '../../../tokens/createToken.ts';
import { restrictionsOf } from '../../../tokens/restrictions.ts';
import { parseScopes } from '../../../tokens/scope.ts';
import { plainJson, readJsonBody } from '../../jsonBody.ts';
import type { RouteCall } from '../../route.ts';

const tokenSchema = z.strictObject({
  description: z.string().default(''),
  scopes: z.array(z.string()).min(1),
  expires_at: z.iso.datetime({ offset: true }).nullable().default(null),
  restrictions: z.unknown().default({}),
});

const rotationSchema = z.strictObject({ overlap_seconds: z.number().default(0) });

/** What a request asks of a new token. Throws `token.invalid` that names the member that is wrong. */
export function tokenRequest({ headers, body }: Pick<RouteCall, 'headers' | 'body'>): TokenRequest {
  const { description, scopes, expires_at, restrictions } = checked(
    tokenSchema,
    plainJson(readJsonBody(headers, body)),
  );
  return {
    description,
    scopes: parseScopes(scopes),
    restrictions: restrictionsOf(restrictions),
    expiresAtMicros: expires_at === null ? null : Date.parse(expires_at) * 1000,
  };
}

/** Seconds that the secret works on that a token had; 0 without a body. */
export function overlapSeconds({ headers, body }: Pick<RouteCall, 'headers' | 'body'>): number {
  if (body.length === 0) return 0;
  return checked(rotationSchema, plainJson(readJsonBody(headers, body))).overlap_seconds;
}

/** The token of a call as one that manages others. */
export function managerOf(token: AuthenticatedToken, requestId: string): TokenManager {
  return { token, requestId };
}

/** The body as it is meant. Throws `token.invalid` for what it cannot be, and for members that it does not have. */
export function checked<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues
    .slice(0, 10)
    .map(({ path, message }) => ({ ...(path.length === 0 ? {} : { parameter: path.join('.') }), message }));
  const [first] = errors;
  const where = first?.parameter === undefined ? 'the body' : first.parameter;
  throw new ServiceError('token.invalid', `The request cannot be read: ${where}: ${first?.message}.`, { errors });
}
