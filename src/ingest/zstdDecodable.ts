import type { ZstdFrame } from './zstdFrames.ts';

/** A part of the bytes that is one frame. */
export interface FramePlace {
  readonly start: number;
  readonly end: number;
  /** The size that it declares; null where it does not. */
  readonly contentBytes: number | null;
}

export interface DecodableFrames {
  /** In memory of their own, so that a thread can have it. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly places: readonly FramePlace[];
}

/** What follows the last block of a frame that declares its size. */
const emptyLastBlock = [1, 0, 0] as const;
const checksumFlag = 0x04;

/**
 * The frames one after another, as the decoder is to have them. It does not tell how much a frame gives that declares
 * its size: zeros stand for what is missing, and what is too much is cut. So each of those has an empty block as its
 * last one, which the decoder puts where it has come to, and no checksum, which it passes over.
 */
export function framesToDecode(frames: readonly ZstdFrame[]): DecodableFrames {
  const length = frames.reduce((sum, frame) => sum + frame.bytes.length + emptyLastBlock.length, 0);
  const bytes = new Uint8Array(length);
  const places: FramePlace[] = [];
  let at = 0;
  for (const { bytes: own, contentBytes, lastBlockAt, blocksEnd } of frames) {
    const start = at;
    if (contentBytes === null) {
      bytes.set(own, start);
      at += own.length;
    } else {
      bytes.set(own.subarray(0, blocksEnd), start);
      bytes[start + 4] = (own[4] ?? 0) & ~checksumFlag;
      // It is not the last one any more.
      bytes[start + lastBlockAt] = (own[lastBlockAt] ?? 0) & ~1;
      bytes.set(emptyLastBlock, start + blocksEnd);
      at += blocksEnd + emptyLastBlock.length;
    }
    places.push({ start, end: at, contentBytes });
  }
  return { bytes, places };
}
