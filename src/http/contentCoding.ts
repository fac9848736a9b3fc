import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import Negotiator from 'negotiator';

/** A smaller body gains nothing: it goes out in one packet either way. Bytes. */
const bytesWorthCoding = 1024;

const gzip = promisify(zlib.gzip);
const brotli = promisify(zlib.brotliCompress);

type Encoder = (body: Buffer) => Promise<Buffer>;

/** Levels are measured (decision 29). All of these work on threads of their own, not on the event loop. */
const encoders: Readonly<Record<string, Encoder>> = {
  gzip: (body) => gzip(body, { level: 3 }),
  br: (body) =>
    brotli(body, {
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: 3,
        [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  ...zstdEncoder(),
};

/** Content codings that answers can have besides `identity`. */
export const contentCodings: readonly string[] = Object.keys(encoders);

/**
 * The content codings that `Accept-Encoding` allows an answer to have, the one it likes best first;
 * between equals its own order counts (RFC 9110, section 12.5.3). Empty where it refuses all, `identity` too.
 */
export function acceptedCodings(acceptEncoding: string | undefined): readonly string[] {
  // What says nothing allows anything; a client that names no coding may know none.
  if (acceptEncoding === undefined) return ['identity'];
  return new Negotiator({ headers: { 'accept-encoding': acceptEncoding } }).encodings([...contentCodings, 'identity']);
}

/** The body in the coding its client likes best, with that coding's name; small ones stay as they are if they may. */
export async function encodeBody(
  body: Buffer,
  accepted: readonly string[],
): Promise<{ readonly coding: string; readonly bytes: Buffer }> {
  const mayBePlain = accepted.length === 0 || accepted.includes('identity');
  const [best = 'identity'] = accepted;
  const encode = encoders[best];
  if (encode === undefined || body.length === 0 || (mayBePlain && body.length < bytesWorthCoding)) {
    return { coding: 'identity', bytes: body };
  }
  return { coding: best, bytes: await encode(body) };
}

/** Node has zstd from 22.15 and 23.8 on. */
function zstdEncoder(): Readonly<Record<string, Encoder>> {
  const zstdCompress: unknown = Reflect.get(zlib, 'zstdCompress');
  if (typeof zstdCompress !== 'function') return {};
  return {
    zstd: (body) =>
      new Promise((resolve, reject) => {
        zstdCompress(body, (error: Error | null, bytes: Buffer) => (error === null ? resolve(bytes) : reject(error)));
      }),
  };
}
