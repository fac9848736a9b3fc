import { Decompress, decompress as decompressFrame } from 'fzstd';
import { OutputTooLarge } from './outputTooLarge.ts';
import { type ZstdFrame, zstdFrames } from './zstdFrames.ts';

/**
 * Memory that may be moved for frames that do not declare their size: the decoder moves the whole
 * window for every block. About a second.
 */
const movedBytesMax = 4 * 2 ** 30;

/**
 * Decompresses zstd (RFC 8878), any number of frames, to at most `bytesMax` bytes. Checksums of frames are not verified.
 *
 * @throws OutputTooLarge as soon as there is more; Error for anything that is not valid zstd, and for
 *   frames whose windows or number of blocks ask for more work than their data is worth.
 */
export function decompressZstd(bytes: Uint8Array, bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size > bytesMax) throw new OutputTooLarge();
    parts.push(part);
  };
  let movedBytes = 0;
  for (const frame of zstdFrames(bytes)) {
    if (frame.contentBytes !== null) {
      if (size + frame.contentBytes > bytesMax) throw new OutputTooLarge();
      add(decodeDeclared(frame, frame.contentBytes));
      continue;
    }
    movedBytes += frame.blocks * frame.windowBytes;
    if (movedBytes > movedBytesMax) throw new Error('the frame has too many blocks for its window');
    new Decompress(add).push(frame.bytes, true);
  }
  return parts.length === 1 ? (parts[0] ?? new Uint8Array(0)) : Buffer.concat(parts, size);
}

function decodeDeclared(frame: ZstdFrame, contentBytes: number): Uint8Array {
  return contentBytes === 0 ? new Uint8Array(0) : decompressFrame(frame.bytes, new Uint8Array(contentBytes));
}
