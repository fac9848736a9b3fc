import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { Pause, type Turns } from '../core/concurrency/turns.ts';

/** An encoded body without its end, so that it can be sent with different ends. */
export interface OpenBody {
  readonly coding: 'gzip' | 'br';
  /** The encoded body without its end. */
  readonly coded: Buffer;
  /** CRC-32 of the decoded bytes; 0 for brotli, which has none. */
  readonly crc: number;
  /** Number of decoded bytes. */
  readonly plainBytes: number;
}

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/**
 * Encodes a body without its end. The levels were measured (decision 29). Both codings work on other threads and end with
 * a flush, so that the stream can continue at a byte boundary.
 */
export async function openBody(coding: OpenBody['coding'], plain: Buffer, turns: Turns): Promise<OpenBody> {
  const coded =
    coding === 'gzip'
      ? await gzip(plain, { level: 3, finishFlush: zlib.constants.Z_SYNC_FLUSH })
      : await brotli(plain, {
          finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
          params: {
            [zlib.constants.BROTLI_PARAM_QUALITY]: 3,
            [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
            [zlib.constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
          },
        });
  // The end of a brotli stream has no checksum.
  const crc = coding === 'gzip' ? await checksum(plain, turns) : 0;
  return { coding, coded, crc, plainBytes: plain.length };
}

/** Bytes of the checksum that are computed at once. */
const partBytes = 1024 * 1024;

/** CRC-32, computed in turns for many bytes. */
async function checksum(plain: Buffer, turns: Turns): Promise<number> {
  const pause = new Pause(turns);
  let crc = 0;
  for (let from = 0; from < plain.length; from += partBytes) {
    crc = zlib.crc32(plain.subarray(from, from + partBytes), crc);
    if (pause.isDue(partBytes)) await pause.take();
  }
  return crc;
}

/** Most bytes of an end: the capacity of one uncompressed block in either coding. */
export const endBytesMax = 65_535;

/** Completes the body with an uncompressed end of 1 to `endBytesMax` bytes. */
export function closeBody({ coding, coded, crc, plainBytes }: OpenBody, end: Buffer): Buffer {
  if (end.length === 0 || end.length > endBytesMax) throw new RangeError(`an end of ${end.length} bytes`);
  if (coding === 'br') {
    // RFC 7932, section 9.2: not the last meta-block, four nibbles of length, uncompressed; then an empty last one.
    const head = Buffer.alloc(3);
    head.writeUIntLE(((end.length - 1) << 3) | (1 << 19), 0, 3);
    return Buffer.concat([coded, head, end, Buffer.of(0b11)]);
  }
  // RFC 1951, section 3.2.4: a last block, stored; RFC 1952, section 2.3.1: checksum and length of the whole.
  const head = Buffer.alloc(5);
  head.writeUInt8(1, 0);
  head.writeUInt16LE(end.length, 1);
  head.writeUInt16LE(0xffff - end.length, 3);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(zlib.crc32(end, crc), 0);
  trailer.writeUInt32LE((plainBytes + end.length) % 2 ** 32, 4);
  return Buffer.concat([coded, head, end, trailer]);
}
