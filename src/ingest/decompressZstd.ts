import { Decompress, decompress as decompressFrame } from 'fzstd';
import { OutputTooLarge } from './outputTooLarge.ts';
import { blockBytesMax, type ZstdFrame, zstdFrames } from './zstdFrames.ts';
import { decodeOnThread } from './zstdThread.ts';

/**
 * Memory that may be moved for frames that do not declare their size: the decoder moves the whole
 * window for every block. About a second.
 */
const movedBytesMax = 4 * 2 ** 30;

/** What is decoded at once: a few milliseconds, where a thread would take longer to begin. */
const atOnceBytesMax = 256 * 1024;
const atOnceMovedBytesMax = 64 * 2 ** 20;

/**
 * Decompresses zstd (RFC 8878), any number of frames, to at most `bytesMax` bytes. Checksums of frames are not verified.
 *
 * @throws OutputTooLarge as soon as there is more; Error for anything that is not valid zstd, and for
 *   frames whose windows or number of blocks ask for more work than their data is worth.
 */
export async function decompressZstd(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  const frames = zstdFrames(bytes);
  let declaredBytes = 0;
  let undeclaredBytes = 0;
  let movedBytes = 0;
  for (const frame of frames) {
    declaredBytes += frame.contentBytes ?? 0;
    if (frame.contentBytes !== null) continue;
    undeclaredBytes += frame.blocks * blockBytesMax;
    movedBytes += frame.blocks * frame.windowBytes;
  }
  if (declaredBytes > bytesMax) throw new OutputTooLarge();
  if (movedBytes > movedBytesMax) throw new Error('the frame has too many blocks for its window');
  if (declaredBytes + undeclaredBytes <= atOnceBytesMax && movedBytes <= atOnceMovedBytesMax)
    return decodeAtOnce(frames, bytesMax);
  const places = frames.map(({ bytes: { byteOffset, byteLength }, contentBytes }) => {
    const start = byteOffset - bytes.byteOffset;
    return { start, end: start + byteLength, contentBytes };
  });
  const decoded = await decodeOnThread(bytes, places, bytesMax);
  if (decoded.kind === 'too_large') throw new OutputTooLarge();
  if (decoded.kind === 'invalid') throw new Error(decoded.reason);
  return decoded.bytes;
}

/** What zstd can grow to at most, as its frames and blocks tell; 0 where it is not valid. */
export function zstdBytesMax(bytes: Uint8Array): number {
  try {
    return zstdFrames(bytes).reduce((sum, frame) => sum + (frame.contentBytes ?? frame.blocks * blockBytesMax), 0);
  } catch {
    // Decompressing says what is wrong.
    return 0;
  }
}

function decodeAtOnce(frames: readonly ZstdFrame[], bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size > bytesMax) throw new OutputTooLarge();
    parts.push(part);
  };
  for (const { bytes, contentBytes } of frames) {
    if (contentBytes === null) new Decompress(add).push(bytes, true);
    else if (contentBytes > 0) add(decompressFrame(bytes, new Uint8Array(contentBytes)));
  }
  return Buffer.concat(parts, size);
}
