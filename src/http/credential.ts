import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/** The URL parameter that may carry a token, if the configuration allows it. */
export const tokenParameter = 'api_key';

/**
 * The token of a call, or undefined: from `X-API-KEY: <token>`, `Authorization: Bearer <token>` or, if enabled, the URL
 * (contract, section 1, "credential"). Other schemes of Authorization belong to proxies and are ignored.
 *
 * @throws ServiceError `auth.invalid` for two different tokens: if the service chose one, it and a proxy could disagree
 *   on who calls
 */
export function presentedToken(headers: IncomingHttpHeaders, fromUrl: string | undefined): string | undefined {
  const apiKey = headers['x-api-key'];
  const bearer = /^bearer[ \t]+(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1];
  const given = [typeof apiKey === 'string' ? apiKey : apiKey?.join(','), bearer, fromUrl]
    .map((token) => token?.trim() ?? '')
    .filter((token) => token !== '');
  const [first] = given;
  if (given.some((token) => token !== first)) {
    throw new ServiceError(
      'auth.invalid',
      'The call has two different tokens. Send one, as X-API-KEY or as Authorization: Bearer.',
    );
  }
  return first;
}

/** Who sends the request, before its token is checked: the same text for the requests of one token or, without one, of one address. */
export function callerOf({ headers, socket }: IncomingMessage): string {
  const key = headers['x-api-key'] ?? headers.authorization;
  return key === undefined ? `address ${socket.remoteAddress}` : `key ${String(key)}`;
}
