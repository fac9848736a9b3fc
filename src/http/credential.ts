import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/** The URL parameter that may carry a token where the configuration allows it. */
export const tokenParameter = 'api_key';

/**
 * The token that a call presents, or undefined without one: `X-API-KEY: <token>`, or
 * `Authorization: Bearer <token>` (scheme in any case; other schemes belong to proxies and are
 * passed over), or the URL where that is switched on (contract, section 1, "credential").
 * Two that differ are `auth.invalid`: choosing one would let a proxy and the service disagree on who calls.
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
      'The call carries two different tokens. Send one, in X-API-KEY or as Authorization: Bearer.',
    );
  }
  return first;
}
