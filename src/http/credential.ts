import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';
import { parseToken } from '../tokens/tokenFormat.ts';

/** The URL parameter that may carry a token, if the configuration allows it. */
export const tokenParameter = 'api_key';

/**
 * The token of a call, or undefined: from `X-API-KEY: <token>`, `Authorization: Bearer <token>` or, if enabled, the URL
 * (contract, section 1, "credential"). Other schemes of Authorization belong to proxies and are ignored, except on
 * operations that take a password: there the password of Basic, or the key of ApiKey (Elasticsearch), is a token if it
 * has the form of one, or if there is no other.
 *
 * @throws ServiceError `auth.invalid` for two different tokens: if the service chose one, it and a proxy could disagree
 *   on who calls
 */
export function presentedToken(
  headers: IncomingHttpHeaders,
  fromUrl: string | undefined,
  takesPassword = false,
): string | undefined {
  const apiKey = headers['x-api-key'];
  const bearer = /^bearer[ \t]+(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
  const given = [typeof apiKey === 'string' ? apiKey : apiKey?.join(','), bearer, fromUrl]
    .map((token) => token?.trim() ?? '')
    .filter((token) => token !== '');
  // A page in a browser sends its origin. Passwords that a browser stores are never accepted.
  const password = takesPassword && headers.origin === undefined ? basicPassword(headers.authorization) : undefined;
  if (password !== undefined && (given.length === 0 || parseToken(password) !== undefined)) given.push(password);
  const [first] = given;
  if (given.some((token) => token !== first)) {
    throw new ServiceError(
      'auth.invalid',
      'The call has two different tokens. Send one, as X-API-KEY or as Authorization: Bearer.',
    );
  }
  return first;
}

/** The password of `Authorization: Basic` (RFC 7617) or `ApiKey`, which has the same form; undefined if there is none. */
function basicPassword(authorization: string | undefined): string | undefined {
  const encoded = /^(?:basic|apikey)[ \t]+([A-Za-z0-9+/_-]+={0,2})$/i.exec(authorization?.trim() ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const userAndPassword = Buffer.from(encoded, 'base64').toString();
  const colon = userAndPassword.indexOf(':');
  const password = colon < 0 ? '' : userAndPassword.slice(colon + 1).trim();
  return password === '' ? undefined : password;
}
