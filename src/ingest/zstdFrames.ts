import { NotInCoding } from './notInCoding.ts';

/** A frame of zstd data, located without decoding it. */
export interface ZstdFrame {
  /** From the magic number to the checksum, inclusive. */
  readonly bytes: Uint8Array;
  /** The declared size; null if there is none. */
  readonly contentBytes: number | null;
  /** The declared size, or else the most that its blocks can decode to. */
  readonly contentBytesMax: number;
  readonly blocks: number;
  /** Whether its blocks decode to nothing. */
  readonly isEmpty: boolean;
}

/** The largest window that the content coding may use (RFC 9659, section 3). */
const windowBytesMax = 8 * 2 ** 20;

/** Most bytes that one block decodes to. */
const blockBytesMax = 128 * 1024;

/** Most frames and blocks of a body. Each costs time, even if it is small. */
const framesMax = 10_000;
const blocksMax = 100_000;

/** Locates the frames of zstd data (RFC 8878, section 3), without skippable ones. @throws NotInCoding for anything else */
export function zstdFrames(bytes: Uint8Array): readonly ZstdFrame[] {
  try {
    return readFrames(bytes);
  } catch (error) {
    // A DataView throws this for a read beyond its end.
    if (error instanceof RangeError) throw new NotInCoding('a frame is cut off', { cause: error });
    throw error;
  }
}

function readFrames(bytes: Uint8Array): readonly ZstdFrame[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const frames: ZstdFrame[] = [];
  let blocks = 0;
  for (let at = 0; at < bytes.length; ) {
    const magic = view.getUint32(at, true);
    if (magic >>> 4 === 0x0184d2a5) {
      at += 8 + view.getUint32(at + 4, true);
      if (at > bytes.length) throw new NotInCoding('a skippable frame is cut off');
      continue;
    }
    if (magic !== 0xfd2fb528) throw new NotInCoding('a frame does not start with the magic number');
    const frame = readFrame(bytes, view, at);
    frames.push(frame);
    blocks += frame.blocks;
    if (frames.length > framesMax) throw new NotInCoding('there are too many frames');
    if (blocks > blocksMax) throw new NotInCoding('there are too many blocks');
    at += frame.bytes.length;
  }
  if (bytes.length === 0) throw new NotInCoding('there is no frame');
  return frames;
}

function readFrame(bytes: Uint8Array, view: DataView, start: number): ZstdFrame {
  const descriptor = view.getUint8(start + 4);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const hasChecksum = (descriptor & 0x04) !== 0;
  if ((descriptor & 0x08) !== 0) throw new NotInCoding('a reserved bit is set');
  if ((descriptor & 0x03) !== 0) throw new NotInCoding('a dictionary is needed');
  let at = start + 5;
  let windowBytes = 0;
  if (!isSingleSegment) {
    const window = view.getUint8(at++);
    const base = 2 ** (10 + (window >> 3));
    windowBytes = base + (base / 8) * (window & 7);
  }
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const contentBytes = readContentSize(view, at, sizeBytes);
  at += sizeBytes;
  if (contentBytes === null && windowBytes > windowBytesMax)
    throw new NotInCoding('the window is larger than supported');
  let blocks = 0;
  let blockBytes = 0;
  for (let isLast = false; !isLast; blocks++) {
    const header = view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
    const size = header >> 3;
    const type = (header >> 1) & 3;
    isLast = (header & 1) === 1;
    if (type === 3 || size > blockBytesMax) throw new NotInCoding('a block is of no known type or too large');
    blockBytes += type === 2 ? blockBytesMax : size;
    at += 3 + (type === 1 ? 1 : size);
  }
  const end = at + (hasChecksum ? 4 : 0);
  if (end > bytes.length) throw new NotInCoding('a frame is cut off');
  return {
    bytes: bytes.subarray(start, end),
    contentBytes,
    contentBytesMax: contentBytes ?? blockBytes,
    blocks,
    isEmpty: blockBytes === 0,
  };
}

function readContentSize(view: DataView, at: number, sizeBytes: number): number | null {
  switch (sizeBytes) {
    case 0:
      return null;
    case 1:
      return view.getUint8(at);
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}
