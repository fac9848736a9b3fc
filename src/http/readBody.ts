import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import type { BodyShare } from './bodyBudget.ts';

const joinedAtOnceBytesMax = 1024 * 1024;

/** Bytes of chunk sizes and line ends that any body may have; beyond, chunks of less than some 20 bytes are refused. */
const framingBytesFree = 16 * 1024;

/**
 * Reads a request body. More than `bytesMax` bytes are `request.too_large`. Up to `discardBytesMax` bytes of a refused
 * body are still read and dropped, because a client that is still sending when the connection closes loses the answer.
 */
export async function readBody(
  stream: Readable,
  bytesMax: number,
  share: BodyShare,
  turns: Turns,
  discardBytesMax = 4 * bytesMax,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refusal: unknown;
  const framing = framingOf(stream);
  for await (const chunk of arriving(stream)) {
    bytes += chunk.length;
    // Each chunk takes some 20 microseconds, so bodies of tiny chunks would hold up everyone. Nothing more of them is read.
    if (framing(bytes) > framingBytesFree + bytes / 4) throw chunksTooSmall();
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
  return await joined(chunks, bytes, turns);
}

/** The chunks as one buffer. A large body is copied in turns: its memory is new, which makes the copy slow. */
async function joined(chunks: readonly Buffer[], bytes: number, turns: Turns): Promise<Buffer> {
  if (bytes <= joinedAtOnceBytesMax) return Buffer.concat(chunks, bytes);
  const pause = new Pause(turns);
  const whole = Buffer.allocUnsafeSlow(bytes);
  let at = 0;
  for (const chunk of chunks) {
    at += chunk.copy(whole, at);
    if (pause.isDue(chunk.length)) await pause.take();
  }
  return whole;
}

/** Counts the bytes that arrived since now and are not of the body, given its bytes; 0 once it is complete, because other requests follow. */
function framingOf(stream: Readable | IncomingMessage): (bodyBytes: number) => number {
  if (!('socket' in stream)) return () => 0;
  const { socket } = stream;
  const before = socket.bytesRead;
  return (bodyBytes) => (stream.complete ? 0 : socket.bytesRead - before - bodyBytes);
}

function chunksTooSmall(): ServiceError {
  return new ServiceError(
    'request.malformed',
    'The body arrives in chunks of a few bytes (Transfer-Encoding: chunked). Send it in larger chunks, or with Content-Length.',
  );
}

export function bodyTooLarge(bytesMax: number): ServiceError {
  return new ServiceError('request.too_large', `The body has more than ${bytesMax} bytes, the most allowed here.`);
}

/** The chunks of the body. Throws `request.malformed` if the client breaks off in the middle. */
async function* arriving(stream: Readable): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
    throw new ServiceError('request.malformed', 'The body ended before its announced length. Send the whole body.');
  }
}
