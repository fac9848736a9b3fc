import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { compressionOf } from '../core/compressionOf.ts';
import { ServiceError } from '../core/errors.ts';
import { decompressZstd, zstdBytesMax } from './decompressZstd.ts';
import { NotInCoding } from './notInCoding.ts';
import { OutputTooLarge } from './outputTooLarge.ts';

type Decompress = (bytes: Uint8Array, bytesMax: number) => Promise<Uint8Array>;

const gunzip = wholly(zlib.gunzip);
const inflate = wholly(zlib.inflate);
const inflateRaw = wholly(zlib.inflateRaw);

const deflateCoding: Decompress = (bytes, bytesMax) =>
  // "deflate" means the zlib format (RFC 9110, section 8.4.1.2); some senders leave its two bytes of header out.
  hasZlibHeader(bytes) ? inflate(bytes, bytesMax) : inflateRaw(bytes, bytesMax);

const codings: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', deflateCoding],
  ['br', wholly(zlib.brotliDecompress)],
  ['zstd', decompressZstd],
]);

/** Made at one go; each makes a way to a thread and back. */
const chunkSize = 128 * 1024;

/** The codings that are named to callers. */
const allowed = ['gzip', 'deflate', 'br', 'zstd', 'identity'] as const;

/**
 * The body without its Content-Encoding (streams.md, row "bodies"). Stops as soon as there are more
 * than `bytesMax` bytes, whatever the body would grow to.
 *
 * @throws ServiceError `request.unsupported_encoding`, `request.too_large`, `request.malformed` where the bytes are not
 *   what the coding says, or `ingest.overloaded` where it is the decoder that failed.
 */
export async function decompress(
  body: Uint8Array,
  contentEncoding: string | undefined,
  bytesMax: number,
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
      `The Content-Encoding ${JSON.stringify(coding.slice(0, 100))} is not understood here; send one of ${allowed.join(', ')}.`,
      { errors: [{ value: coding.slice(0, 100), allowed }] },
    );
  }
  try {
    return await run(body, bytesMax);
  } catch (error) {
    if (error instanceof OutputTooLarge) throw tooLarge('after decompression', bytesMax);
    if (error instanceof NotInCoding) {
      const window = coding === 'zstd' ? ' with a window of at most 8 MiB' : '';
      throw new ServiceError(
        'request.malformed',
        `The body is not whole, valid ${coding}${window}, which its Content-Encoding says it is: ${error.message}.`,
        { cause: error },
      );
    }
    // Whatever else went wrong is no fault of the body. Shippers drop what is refused with a 400.
    throw new ServiceError(
      'ingest.overloaded',
      'The body could not be decompressed, though nothing may be wrong with it; nothing of it was taken. Send it again in a second.',
      { retryAfterSeconds: 1, cause: error },
    );
  }
}

/** @throws ServiceError `request.malformed` where the body is compressed and no Content-Encoding says so. */
function requirePlain(body: Uint8Array): void {
  const coding = compressionOf(body);
  if (coding === undefined) return;
  throw new ServiceError(
    'request.malformed',
    `The body is compressed with ${coding}, and no Content-Encoding says so. Send it with the header Content-Encoding: ${coding}.`,
  );
}

/** Whether a body with this Content-Encoding is other than it stands. */
export function isCompressed(contentEncoding: string | undefined): boolean {
  const coding = codingOf(contentEncoding);
  return coding !== '' && coding !== 'identity';
}

/** Whether it is worth a try to decompress the body to `bytesMax` bytes: false only where it grows to more or would take a thread. */
export function mayBeSmall(body: Uint8Array, contentEncoding: string | undefined, bytesMax: number): boolean {
  return body.byteLength <= bytesMax && (codingOf(contentEncoding) !== 'zstd' || zstdBytesMax(body) <= bytesMax);
}

/** The name of the coding, of which there is one however it is written; empty where there is none. */
export function codingOf(contentEncoding: string | undefined): string {
  return contentEncoding?.trim().toLowerCase() ?? '';
}

/** What Node gives with `info`, of which its types know nothing. */
interface Decoded {
  readonly buffer: Buffer;
  /** `bytesWritten`: of the input, up to where the coded data ended. */
  readonly engine: { readonly bytesWritten: number };
}

/** Codes of errors of zlib and of brotli that are of the bytes. All others, such as those of memory, are of the decoder. */
const saysNotInCoding = /^(?:Z_DATA_ERROR|Z_BUF_ERROR|Z_NEED_DICT|ERR_\w*_FORMAT_\w+)$/;

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Node passes over what follows the end of coded data, and with it the events of a second body that follows the first. */
function wholly(
  decode: (bytes: Uint8Array, options: zlib.ZlibOptions, done: (error: Error | null, decoded: Buffer) => void) => void,
): Decompress {
  const run = promisify(decode);
  return async (bytes, maxOutputLength) => {
    const options: zlib.ZlibOptions = { maxOutputLength, chunkSize, info: true };
    const { buffer, engine } = (await run(bytes, options).catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (code === 'ERR_BUFFER_TOO_LARGE') throw new OutputTooLarge();
      throw saysNotInCoding.test(code) ? new NotInCoding(messageOf(error), { cause: error }) : error;
    })) as unknown as Decoded;
    if (engine.bytesWritten === bytes.byteLength) return buffer;
    throw new NotInCoding(`the coded data ends after ${engine.bytesWritten} of ${bytes.byteLength} bytes`);
  };
}

function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

function tooLarge(when: string, bytesMax: number): ServiceError {
  return new ServiceError(
    'request.too_large',
    `The body has, ${when}, more than the ${bytesMax} bytes that are allowed; nothing was stored. Send several requests.`,
  );
}
