import { Pause, type Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';

/**
 * Decompresses a block of Snappy (google/snappy, format_description.txt) in turns. The block begins with the size of its
 * output, so a block that claims more than `bytesMax` is refused before anything is allocated.
 *
 * `take` receives the size of the output before it is allocated.
 *
 * @throws ServiceError `request.too_large`, or `request.malformed` if the bytes are not one whole block.
 */
export async function unpackSnappy(
  block: Uint8Array,
  bytesMax: number,
  turns: Turns,
  take: (bytes: number) => void,
): Promise<Uint8Array> {
  const { size, start } = sizeOf(block);
  if (size > bytesMax) {
    throw new ServiceError(
      'request.too_large',
      `The Snappy block holds ${size} bytes; at most ${bytesMax} are allowed. Nothing was stored. Send several requests.`,
    );
  }
  // No element makes more than 64 bytes out of its two or three.
  if (size > 64 * block.length) throw malformed('it is too short for the size that it claims');
  take(size);
  const output = Buffer.alloc(size);
  const pause = new Pause(turns);
  for (const work of unpackInSteps(block, start, output)) if (pause.isDue(work)) await pause.take();
  return output;
}

/** Elements between two steps; each is at most 64 bytes, or a literal. */
const stepElements = 1024;

/** Fills the output. Yields the work since the last step, in bytes. */
function* unpackInSteps(block: Uint8Array, start: number, output: Buffer): Generator<number, void, undefined> {
  let at = start;
  let written = 0;
  let work = 0;
  for (let elements = 1; at < block.length; elements++) {
    const tag = block[at++] ?? 0;
    let length: number;
    if ((tag & 3) === literal) {
      length = (tag >>> 2) + 1;
      const lengthBytes = length - literalLengthInTag;
      if (lengthBytes > 0) {
        length = integerAt(block, at, lengthBytes) + 1;
        at += lengthBytes;
      }
      if (length > block.length - at) throw malformed('a literal is cut off');
      if (length > output.length - written) throw tooLong();
      output.set(block.subarray(at, at + length), written);
      at += length;
    } else {
      const isShort = (tag & 3) === shortCopy;
      const offsetBytes = isShort ? 1 : (tag & 3) === 2 ? 2 : 4;
      const low = integerAt(block, at, offsetBytes);
      at += offsetBytes;
      length = isShort ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
      const offset = isShort ? (tag >>> 5) * 256 + low : low;
      if (offset === 0 || offset > written) throw malformed('a copy begins before the output');
      if (length > output.length - written) throw tooLong();
      // The copy may read bytes that it writes.
      for (let i = 0; i < length; i++) output[written + i] = output[written + i - offset] ?? 0;
    }
    written += length;
    work += elementWork + length;
    if (elements % stepElements === 0 || work > stepWork) {
      yield work;
      work = 0;
    }
  }
  if (written !== output.length) throw malformed(`it holds ${written} bytes, and claims ${output.length}`);
}

const literal = 0;
const shortCopy = 1;
/** Literals of up to this many bytes have their length in the tag; longer ones have it in one to four bytes after it. */
const literalLengthInTag = 60;
/** The fixed work per element, expressed as bytes that take as long. */
const elementWork = 16;
const stepWork = 64 * 1024;

/** The size of the output, a varint of 32 bits, and where it ends. */
function sizeOf(block: Uint8Array): { readonly size: number; readonly start: number } {
  let size = 0;
  for (let i = 0; i < 5; i++) {
    const byte = block[i];
    if (byte === undefined) break;
    size += (byte & 127) * 2 ** (7 * i);
    if (byte < 128) {
      if (size < 2 ** 32) return { size, start: i + 1 };
      break;
    }
  }
  throw malformed('it does not begin with the size of its output');
}

/** A little-endian integer. */
function integerAt(block: Uint8Array, at: number, bytes: number): number {
  if (bytes > block.length - at) throw malformed('an element is cut off');
  let value = 0;
  for (let i = 0; i < bytes; i++) value += (block[at + i] ?? 0) * 2 ** (8 * i);
  return value;
}

function tooLong(): ServiceError {
  return malformed('it holds more bytes than it claims');
}

function malformed(reason: string): ServiceError {
  return new ServiceError('request.malformed', `The body is not one whole block of Snappy: ${reason}.`, {
    errors: [{ message: reason }],
  });
}
