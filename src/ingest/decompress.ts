import type { Transform } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import zlib from 'node:zlib';
import { compressionOf } from '../core/compressionOf.ts';
import { ServiceError } from '../core/errors.ts';
import { decompressZstd, zstdBytesMax } from './decompressZstd.ts';
import { NotInCoding } from './notInCoding.ts';
import { OutputTooLarge } from './outputTooLarge.ts';
import type { ZstdDecoder } from './zstdDecoder.ts';

type Decompress = (bytes: Uint8Array, bytesMax: number, zstd: ZstdDecoder) => Promise<Uint8Array>;

const gunzip = wholly(zlib.createGunzip);
const inflate = wholly(zlib.createInflate);
const inflateRaw = wholly(zlib.createInflateRaw);

const deflateCoding: Decompress = (bytes, ...others) =>
  // "deflate" means the zlib format (RFC 9110, section 8.4.1.2), but some senders omit its two-byte header.
  hasZlibHeader(bytes) ? inflate(bytes, ...others) : inflateRaw(bytes, ...others);

const codings: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', deflateCoding],
  ['br', wholly(zlib.createBrotliDecompress)],
  ['zstd', decompressZstd],
]);

/** Output per step; each step makes a round trip to a thread. */
const chunkSize = 128 * 1024;

/** The codings that error messages list. */
const allowed = ['gzip', 'deflate', 'br', 'zstd', 'identity'] as const;

/**
 * Decompresses a body by its Content-Encoding (streams.md, row "bodies"). Stops at more than `bytesMax` bytes, however
 * large the output would become.
 *
 * @throws ServiceError `request.unsupported_encoding`, `request.too_large`, `request.malformed` if the bytes do not
 * match the coding, or `ingest.overloaded` if the decoder itself failed.
 */
export async function decompress(
  body: Uint8Array,
  contentEncoding: string | undefined,
  bytesMax: number,
  zstd: ZstdDecoder,
): Promise<Uint8Array> {
  if (body.byteLength > bytesMax) throw tooLarge('as it was sent', bytesMax);
  if (!isCompressed(contentEncoding)) {
    requirePlain(body);
    return body;
  }
  const coding = codingOf(contentEncoding);
  const run = codings.get(coding);
  if (run === undefined) {
    throw new ServiceError(
      'request.unsupported_encoding',
      `The Content-Encoding ${JSON.stringify(coding.slice(0, 100))} is not supported; send one of ${allowed.join(', ')}.`,
      { errors: [{ value: coding.slice(0, 100), allowed }] },
    );
  }
  try {
    return await run(body, bytesMax, zstd);
  } catch (error) {
    if (error instanceof OutputTooLarge) throw tooLarge('after decompression', bytesMax);
    if (error instanceof NotInCoding) {
      const window = coding === 'zstd' ? ' with a window of at most 8 MiB' : '';
      throw new ServiceError(
        'request.malformed',
        `The Content-Encoding says ${coding}, but the body is not complete, valid ${coding}${window}: ${error.message}.`,
        { cause: error },
      );
    }
    // Other failures are not the body's fault. Shippers drop what is refused with a 400.
    throw new ServiceError(
      'ingest.overloaded',
      'The service failed to decompress the body, which may be valid; nothing was stored. Send it again in a second.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
}

/** @throws ServiceError `request.malformed` if the body is compressed but has no Content-Encoding. */
function requirePlain(body: Uint8Array): void {
  const coding = compressionOf(body);
  if (coding === undefined) return;
  throw new ServiceError(
    'request.malformed',
    `The body is compressed with ${coding} but has no Content-Encoding. Send it with the header Content-Encoding: ${coding}.`,
  );
}

/** Whether this Content-Encoding changes the body. */
export function isCompressed(contentEncoding: string | undefined): boolean {
  const coding = codingOf(contentEncoding);
  return coding !== '' && coding !== 'identity';
}

/** Whether to try to decompress the body to `bytesMax` bytes: false only if the output is larger or needs a thread. */
export function mayBeSmall(body: Uint8Array, contentEncoding: string | undefined, bytesMax: number): boolean {
  return body.byteLength <= bytesMax && (codingOf(contentEncoding) !== 'zstd' || zstdBytesMax(body) <= bytesMax);
}

/** The normalised name of the coding; empty if there is none. */
export function codingOf(contentEncoding: string | undefined): string {
  return contentEncoding?.trim().toLowerCase() ?? '';
}

/** Error codes of zlib and brotli that mean bad input. All others, such as lack of memory, are the decoder's. */
const saysNotInCoding = /^(?:Z_DATA_ERROR|Z_BUF_ERROR|Z_NEED_DICT|ERR_\w*_FORMAT_\w+)$/;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Decoder = Transform & zlib.Zlib;

/** Refuses input after the end of the coded data. Node ignores it and would lose the events of a second body there. */
function wholly(create: (options: zlib.ZlibOptions) => Decoder): Decompress {
  return async (bytes, bytesMax) => {
    const decoder = create({ chunkSize });
    const chunks: Buffer[] = [];
    let length = 0;
    decoder.end(bytes);
    try {
      for await (const chunk of decoder as AsyncIterable<Buffer>) {
        length += chunk.byteLength;
        if (length > bytesMax) throw new OutputTooLarge();
        chunks.push(chunk);
      }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      throw saysNotInCoding.test(code) ? new NotInCoding(messageOf(error), { cause: error }) : error;
    } finally {
      decoder.destroy();
    }
    if (decoder.bytesWritten === bytes.byteLength) return await joinedInTurns(chunks, length);
    throw new NotInCoding(`the coded data ends after ${decoder.bytesWritten} of ${bytes.byteLength} bytes`);
  };
}

/** Bytes that are copied in one turn: first use of fresh memory is slow. */
const turnBytes = 1024 * 1024;

async function joinedInTurns(chunks: readonly Buffer[], length: number): Promise<Uint8Array> {
  const [only] = chunks;
  if (only !== undefined && chunks.length === 1) return only;
  const joined = Buffer.allocUnsafe(length);
  let at = 0;
  for (const chunk of chunks) {
    if (at % turnBytes > (at + chunk.byteLength) % turnBytes) await nextTurn();
    at += chunk.copy(joined, at);
  }
  return joined;
}

function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function tooLarge(when: string, bytesMax: number): ServiceError {
  return new ServiceError(
    'request.too_large',
    `The body has more than the allowed ${bytesMax} bytes ${when}; nothing was stored. Send several requests.`,
  );
}
