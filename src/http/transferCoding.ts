import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../core/errors.ts';

/**
 * Refuses a body whose bytes are not those that it has without its Transfer-Encoding: Node takes the chunks off and
 * leaves other codings on (RFC 9112, section 6.1). The same of an HTTP/1.0 request, in which some proxies read no such
 * header and find the end of the body elsewhere. The connection is to be closed after such an answer.
 *
 * @returns undefined where there is nothing to refuse
 */
export function transferCodingRefusal({ headers, httpVersion }: IncomingMessage): ServiceError | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion !== '1.1') {
    return new ServiceError(
      'request.malformed',
      `The request has a Transfer-Encoding, which HTTP/${httpVersion} does not know; send it with HTTP/1.1.`,
    );
  }
  if (coding.trim().toLowerCase() === 'chunked') return undefined;
  const value = coding.slice(0, 100);
  return new ServiceError(
    'request.unsupported_transfer_coding',
    `The Transfer-Encoding ${JSON.stringify(value)} is not understood here; send chunked alone. A body of events may be compressed with a Content-Encoding.`,
    { errors: [{ value, allowed: ['chunked'] }] },
  );
}
