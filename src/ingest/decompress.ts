import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ServiceError } from '../core/errors.ts';
import { decompressZstd } from './decompressZstd.ts';
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
  ['zstd', async (bytes, bytesMax) => decompressZstd(bytes, bytesMax)],
]);

/** The codings that are named to callers. */
const allowed = ['gzip', 'deflate', 'br', 'zstd', 'identity'] as const;

/**
 * The body without its Content-Encoding (streams.md, row "bodies"). Stops as soon as there are more
 * than `bytesMax` bytes, whatever the body would grow to.
 *
 * @throws ServiceError `request.unsupported_encoding`, `request.too_large`, or `request.malformed`
 *   where the bytes are not what the coding says.
 */
export async function decompress(
  body: Uint8Array,
  contentEncoding: string | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  const coding = contentEncoding?.trim().toLowerCase() ?? '';
  if (body.byteLength > bytesMax) throw tooLarge('as it was sent', bytesMax);
  if (coding === '' || coding === 'identity') return body;
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
    if (
      error instanceof OutputTooLarge ||
      (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')
    ) {
      throw tooLarge('after decompression', bytesMax);
    }
    const window = coding === 'zstd' ? ' with a window of at most 8 MiB' : '';
    throw new ServiceError(
      'request.malformed',
      `The body is not whole, valid ${coding}${window}, which its Content-Encoding says it is.`,
      {
        cause: error,
      },
    );
  }
}

/** What Node gives with `info`, of which its types know nothing. */
interface Decoded {
  readonly buffer: Buffer;
  /** `bytesWritten`: of the input, up to where the coded data ended. */
  readonly engine: { readonly bytesWritten: number };
}

/** Node passes over what follows the end of coded data, and with it the events of a second body that follows the first. */
function wholly(
  decode: (bytes: Uint8Array, options: zlib.ZlibOptions, done: (error: Error | null, decoded: Buffer) => void) => void,
): Decompress {
  const run = promisify(decode);
  return async (bytes, maxOutputLength) => {
    const options: zlib.ZlibOptions = { maxOutputLength, info: true };
    const { buffer, engine } = (await run(bytes, options)) as unknown as Decoded;
    if (engine.bytesWritten === bytes.byteLength) return buffer;
    throw new Error(`the coded data ends after ${engine.bytesWritten} of ${bytes.byteLength} bytes`);
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
