import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { ServiceError } from '../core/errors.ts';
import { renderProblem } from './problem.ts';

/** Translates an error of the HTTP parser for the caller. */
export function parserRefusal(parserCode: string | undefined, headBytesMax: number): ServiceError {
  if (parserCode === 'HPE_HEADER_OVERFLOW') {
    return new ServiceError(
      'request.head_too_large',
      `The request line and headers are larger than ${headBytesMax} bytes. Send long parameters in the body of a POST.`,
    );
  }
  if (parserCode === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request.timeout', 'The request did not arrive completely in time.');
  }
  if (parserCode === 'HPE_INVALID_URL') {
    return new ServiceError(
      'request.malformed',
      'The request line contains characters that must be percent-encoded as UTF-8.',
    );
  }
  return new ServiceError('request.malformed', 'The request is not valid HTTP/1.1.');
}

/**
 * Answers a request that could not be parsed with a problem document, and closes the connection. The answer has no CORS
 * headers, because the origin is unknown.
 *
 * @param lingerMs most milliseconds for which the client may keep its side open, because Node no longer watches such a
 *   connection
 */
export function answerRawSocket(
  socket: Duplex,
  error: ServiceError,
  requestId: string,
  everyAnswer: Readonly<Record<string, string>>,
  lingerMs: number,
): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = renderProblem(error, requestId);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    ...Object.entries({ ...everyAnswer, ...headers }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.end(body);
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(timer));
}
