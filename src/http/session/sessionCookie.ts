import { ServiceError } from '../../core/errors.ts';

/** The cookie that holds the secret of a session. */
export const sessionCookieName = 'logmill_session';

const pair = `${sessionCookieName}=`;

/** The session's part of a `Cookie` header. Cookies of other services on the same host are nothing to this one. */
export function sessionPairs(cookie: string): string {
  if (!cookie.includes(pair)) return '';
  return cookie
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each.startsWith(pair))
    .join('; ');
}

/**
 * The secret in a `Cookie` header; undefined if it has none.
 *
 * @throws ServiceError `session.invalid` for two of them: another host of the same domain may have set one, to have a
 *   page act for a token of its own
 */
export function sessionSecretOf(cookie: string | undefined): string | undefined {
  const pairs = sessionPairs(cookie ?? '');
  if (pairs === '') return undefined;
  if (!pairs.includes(';')) return pairs.slice(pair.length);
  throw new ServiceError(
    'session.invalid',
    `The request has two cookies ${sessionCookieName}. Remove the cookies of this host and of its domain, and sign in again.`,
  );
}

/** `Set-Cookie` that keeps a session for some seconds; 0 removes it. */
export function setSessionCookie(secret: string, maxAgeSeconds: number, isSecure: boolean): string {
  const attributes = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
  return `${pair}${secret}; ${attributes}${isSecure ? '; Secure' : ''}`;
}
