import { NotInCoding } from './notInCoding.ts';
import { OutputTooLarge } from './outputTooLarge.ts';
import type { FrameToDecode, ZstdDecoder } from './zstdDecoder.ts';
import { type ZstdFrame, zstdFrames } from './zstdFrames.ts';

/** Size up to which data is decoded synchronously: a few milliseconds, less than starting a thread takes. */
const atOnceBytesMax = 256 * 1024;
const atOnceBlocksMax = 64;

/**
 * Decompresses zstd (RFC 8878), any number of frames, to at most `bytesMax` bytes. Verifies sizes and checksums of
 * frames.
 *
 * @throws OutputTooLarge if there is more output; NotInCoding for invalid zstd, and for frames whose windows or number
 * of blocks need disproportionate work; DecoderFault if the bytes are not at fault.
 */
export async function decompressZstd(bytes: Uint8Array, bytesMax: number, decoder: ZstdDecoder): Promise<Uint8Array> {
  const frames = zstdFrames(bytes);
  const declaredBytes = frames.reduce((sum, { contentBytes }) => sum + (contentBytes ?? 0), 0);
  if (declaredBytes > bytesMax) throw new OutputTooLarge();
  const mostBytes = frames.reduce((sum, { contentBytesMax }) => sum + contentBytesMax, 0);
  const blocks = frames.reduce((sum, frame) => sum + frame.blocks, 0);
  // A frame that does not say how much it gives may give as much as is allowed with what its last block leaves empty.
  const asked = frames.map(({ bytes: frame, contentBytesMax }): FrameToDecode => {
    return { bytes: frame, room: Math.max(1, Math.min(contentBytesMax, 2 * bytesMax)) };
  });
  const isSmall = mostBytes <= atOnceBytesMax && blocks <= atOnceBlocksMax;
  const decoded = isSmall ? await decoder.decodeAtOnce(asked, bytesMax) : await decoder.decodeOnThread(asked, bytesMax);
  const size = decoded.reduce((sum, { length }) => sum + length, 0);
  if (size > bytesMax) throw new OutputTooLarge();
  for (const [i, frame] of frames.entries()) requireWhole(frame, decoded[i]?.length ?? 0, 2 * bytesMax);
  return decoded.length === 1 && decoded[0] !== undefined ? decoded[0] : Buffer.concat(decoded, size);
}

/** Upper limit of the decompressed size according to frames and blocks; 0 for invalid zstd. */
export function zstdBytesMax(bytes: Uint8Array): number {
  try {
    return zstdFrames(bytes).reduce((sum, { contentBytesMax }) => sum + contentBytesMax, 0);
  } catch (error) {
    if (!(error instanceof NotInCoding)) throw error;
    // Decompression reports the error.
    return 0;
  }
}

/** The decoder returns nothing for a damaged frame, or if the buffer is too small. */
function requireWhole({ contentBytes, contentBytesMax, isEmpty }: ZstdFrame, length: number, roomMax: number): void {
  if (length === 0 && !isEmpty) {
    if (contentBytesMax > roomMax) throw new OutputTooLarge();
    throw new NotInCoding('a frame is damaged, or of another size than it declares');
  }
  if (contentBytes !== null && length !== contentBytes)
    throw new NotInCoding('a frame is of another size than it declares');
}
