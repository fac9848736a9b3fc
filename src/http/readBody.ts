import type { Readable } from 'node:stream';
import { ServiceError } from '../core/errors.ts';

/**
 * Reads a whole request body of at most `bytesMax` bytes. A larger one is `request.too_large`; up to
 * `discardBytesMax` further bytes are read and thrown away first, because a client that is still
 * sending when the connection closes loses the answer.
 */
export async function readBody(stream: Readable, bytesMax: number, discardBytesMax = 4 * bytesMax): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > bytesMax + discardBytesMax) break;
  }
  if (bytes > bytesMax) {
    throw new ServiceError('request.too_large', `The body is larger than the ${bytesMax} bytes that are allowed here.`);
  }
  return Buffer.concat(chunks, bytes);
}
