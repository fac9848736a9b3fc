import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/**
 * Refuses a Transfer-Encoding other than chunked, because Node decodes no other (RFC 9112, section 6.1). Also refuses
 * any in an HTTP/1.0 request, because some proxies ignore the header there and see another end of the body. Close the
 * connection after such an answer.
 *
 * @returns undefined if there is nothing to refuse
 */
export function transferCodingRefusal({ headers, httpVersion }: IncomingMessage): ServiceError | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion !== '1.1') {
    return new ServiceError(
      'request.malformed',
      `HTTP/${httpVersion} has no Transfer-Encoding; send the request with HTTP/1.1.`,
    );
  }
  if (coding.trim().toLowerCase() === 'chunked') return undefined;
  const value = coding.slice(0, 100);
  return new ServiceError(
    'request.unsupported_transfer_coding',
    `The Transfer-Encoding ${JSON.stringify(value)} is not supported; the only allowed one is chunked. To compress a body of events, use Content-Encoding.`,
    { errors: [{ value, allowed: ['chunked'] }] },
  );
}
