import { redactHeaderName, valuesHeaderName } from './headerTable.ts';

/**
 * Headers of every answer, including errors. `Vary` is always the same: superfluous names cost nothing, because only
 * the client itself may store the answer. `Strict-Transport-Security` is missing, because the proxy that ends TLS sets it.
 */
export function everyAnswer(headerPrefix: string): Readonly<Record<string, string>> {
  return {
    // The default; routes can override it.
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
