import { redactHeaderName, valuesHeaderName } from './headerTable.ts';

/**
 * Headers of every answer, errors included. `Vary` is the same on all of them: what an answer does
 * not depend on costs nothing there, as only its own client may keep it. `Strict-Transport-Security`
 * belongs to whoever ends TLS before this service, which does not speak it.
 */
export function everyAnswer(headerPrefix: string): Readonly<Record<string, string>> {
  return {
    // Of answers that do not say otherwise.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    vary: [
      'X-API-KEY',
      'Authorization',
      'Accept',
      'Accept-Encoding',
      'Origin',
      redactHeaderName(headerPrefix),
      valuesHeaderName(headerPrefix),
    ].join(', '),
  };
}
