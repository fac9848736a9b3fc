import type { Readable } from 'node:stream';
import { ServiceError } from '../core/errors.ts';
import type { BodyShare } from './bodyBudget.ts';

/**
 * Reads a whole request body of at most `bytesMax` bytes; a larger one is `request.too_large`. What
 * is refused is still read to some extent and thrown away, because a client that is sending when
 * the connection closes loses the answer.
 */
export async function readBody(
  stream: Readable,
  bytesMax: number,
  share: BodyShare,
  discardBytesMax = 4 * bytesMax,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refusal: unknown;
  for await (const chunk of arriving(stream)) {
    bytes += chunk.length;
    if (refusal === undefined) {
      try {
        if (bytes > bytesMax) throw bodyTooLarge(bytesMax);
        share.growBy(chunk.length);
        chunks.push(chunk);
        continue;
      } catch (error) {
        refusal = error;
        chunks.length = 0;
        share.release();
      }
    }
    if (bytes > bytesMax + discardBytesMax) break;
  }
  if (refusal !== undefined) throw refusal;
  return Buffer.concat(chunks, bytes);
}

export function bodyTooLarge(bytesMax: number): ServiceError {
  return new ServiceError('request.too_large', `The body is larger than the ${bytesMax} bytes that are allowed here.`);
}

/** The chunks of the body; a client that breaks off in the middle is a malformed request, told to whoever still listens. */
async function* arriving(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    throw new ServiceError('request.malformed', 'The body ended before its announced length.');
  }
}
