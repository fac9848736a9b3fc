import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../core/errors.ts';
import { isFromProxy } from '../clientAddress.ts';

/** The header that every request of the console has. A page of another origin cannot send it without permission. */
export const consoleHeaderName = 'X-Logmill-Console';

type Head = Pick<IncomingMessage, 'headers' | 'method'> & {
  readonly socket: { readonly remoteAddress?: string | undefined };
};

/**
 * Refuses a request that a browser sends with its cookies for another page than one of this service: a form, a link or
 * a script of another site. Each of the three checks is enough for a current browser.
 *
 * @throws ServiceError `session.cross_site`
 */
export function requireOwnPage(request: Head, trustedProxies: readonly string[]): void {
  const { headers, method } = request;
  if (headers['x-logmill-console'] !== '1') {
    throw refused(`lacks the header ${consoleHeaderName}: 1`, 'Send that header, or a token instead of the cookie.');
  }
  const site = headers['sec-fetch-site'];
  const isRead = method === 'GET' || method === 'HEAD';
  // `none`: the user opened the address.
  if (site !== undefined && site !== 'same-origin' && !(isRead && site === 'none')) {
    throw refused('comes from another site', 'Open the console of this service and sign in there.');
  }
  const { origin } = headers;
  if (origin === undefined || ownHosts(request, trustedProxies).some((host) => isOriginOf(host, origin))) return;
  throw refused(
    'comes from another origin than the host that it is sent to',
    'If a proxy changes Host, add it to LOGMILL_TRUSTED_PROXIES and let it send X-Forwarded-Host.',
  );
}

/** Whether the browser's connection, up to the proxy, is encrypted. */
export function isOverTls(request: Head, trustedProxies: readonly string[]): boolean {
  if (!isFromProxy(request, trustedProxies)) return false;
  const [first = ''] = String(request.headers['x-forwarded-proto'] ?? '').split(',');
  return first.trim().toLowerCase() === 'https';
}

function ownHosts(request: Head, trustedProxies: readonly string[]): readonly string[] {
  const { headers } = request;
  const forwarded = isFromProxy(request, trustedProxies) ? String(headers['x-forwarded-host'] ?? '').split(',') : [];
  return [headers.host ?? '', ...forwarded].map((host) => host.trim()).filter((host) => host !== '');
}

/** Whether the origin is that of the host, with either scheme: TLS may end at a proxy. */
function isOriginOf(host: string, origin: string): boolean {
  const [, scheme] = /^(https?):\/\//i.exec(origin) ?? [];
  const own = `${scheme}://${host}`;
  if (scheme === undefined || !URL.canParse(own) || !URL.canParse(origin)) return false;
  // `URL` leaves out the port of the scheme and writes names in lower case.
  return new URL(own).origin === new URL(origin).origin;
}

function refused(why: string, advice: string): ServiceError {
  return new ServiceError('session.cross_site', `This call has a session cookie and ${why}. ${advice}`);
}
