import { Decompress, decompress as decompressFrame } from 'fzstd';
import { NotInCoding } from './notInCoding.ts';
import { OutputTooLarge } from './outputTooLarge.ts';
import { type FramePlace, framesToDecode } from './zstdDecodable.ts';
import { blockBytesMax, zstdFrames } from './zstdFrames.ts';
import { DecoderFault, decodeOnThread } from './zstdThread.ts';

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
 * @throws OutputTooLarge as soon as there is more; NotInCoding for anything that is not valid zstd, and for
 *   frames whose windows or number of blocks ask for more work than their data is worth; DecoderFault where it is not
 *   the bytes that are at fault.
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
  if (movedBytes > movedBytesMax) throw new NotInCoding('the frame has too many blocks for its window');
  const decodable = framesToDecode(frames);
  if (declaredBytes + undeclaredBytes <= atOnceBytesMax && movedBytes <= atOnceMovedBytesMax)
    return decodeAtOnce(decodable.bytes, decodable.places, bytesMax);
  const decoded = await decodeOnThread(decodable.bytes, decodable.places, bytesMax);
  if (decoded.kind === 'too_large') throw new OutputTooLarge();
  if (decoded.kind === 'invalid') throw new NotInCoding(decoded.reason);
  return decoded.bytes;
}

/** What zstd can grow to at most, as its frames and blocks tell; 0 where it is not valid. */
export function zstdBytesMax(bytes: Uint8Array): number {
  try {
    return zstdFrames(bytes).reduce((sum, frame) => sum + (frame.contentBytes ?? frame.blocks * blockBytesMax), 0);
  } catch (error) {
    if (!(error instanceof NotInCoding)) throw error;
    // Decompressing says what is wrong.
    return 0;
  }
}

function decodeAtOnce(bytes: Uint8Array, places: readonly FramePlace[], bytesMax: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const add = (part: Uint8Array): void => {
    size += part.length;
    if (size > bytesMax) throw new OutputTooLarge();
    parts.push(part);
  };
  for (const { start, end, contentBytes } of places) {
    const frame = bytes.subarray(start, end);
    try {
      if (contentBytes === null) new Decompress(add).push(frame, true);
      else add(decodeSized(frame, contentBytes));
    } catch (error) {
      if (error instanceof OutputTooLarge || error instanceof NotInCoding) throw error;
      throw isOfBytes(error) ? new NotInCoding(error.message, { cause: error }) : new DecoderFault(error);
    }
  }
  return Buffer.concat(parts, size);
}

/** A frame that declares its size and ends with an empty block, which the decoder puts where it has come to. */
function decodeSized(frame: Uint8Array, contentBytes: number): Uint8Array {
  const content = new Uint8Array(contentBytes);
  let given = 0;
  content.set = (part: ArrayLike<number>, at = 0) => {
    Uint8Array.prototype.set.call(content, part, at);
    given = at;
  };
  decompressFrame(frame, content);
  if (given !== contentBytes) throw new NotInCoding(`a frame declares ${contentBytes} bytes and gives ${given}`);
  return content;
}

/** Whether the decoder says so of the bytes: its own errors have a number, and it writes beyond what bytes of no sense say. */
function isOfBytes(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'number') return true;
  return error instanceof RangeError && error.message === 'offset is out of bounds';
}
