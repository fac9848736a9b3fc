import { decompress as decompressWith } from './decompress.ts';
import { ZstdDecoder } from './zstdDecoder.ts';

const decoder = new ZstdDecoder();

/** `decompress` with one decoder for all bodies. */
export const decompress = (body: Uint8Array, contentEncoding: string | undefined, bytesMax: number) =>
  decompressWith(body, contentEncoding, bytesMax, decoder);

/** A zstd frame without size whose blocks each repeat one byte; `window` is the descriptor byte. */
export function zstdRepeats(blocks: number, blockBytes: number, window = 0x58): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window]);
  const body = Array.from({ length: blocks }, (_, index) => {
    const field = (blockBytes << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0);
    return Buffer.from([field & 0xff, (field >> 8) & 0xff, field >> 16, 0x20]);
  });
  return Buffer.concat([header, ...body]);
}

export interface MadeFrame {
  /** The declared size, in eight bytes; absent for none. */
  readonly declared?: number;
  /** `{ raw }` is a block with these bytes, `{ repeats }` a block of this many spaces. */
  readonly blocks: readonly ({ readonly raw: string | Uint8Array } | { readonly repeats: number })[];
  readonly descriptorBits?: number;
  /** Bytes between the descriptor and the first block, before those of the size: the id of a dictionary. */
  readonly dictionary?: readonly number[];
}

/** Makes a zstd frame with this header, whether it is true or not. */
export function zstdFrame({ declared, blocks, descriptorBits = 0, dictionary = [] }: MadeFrame): Buffer {
  const size = Buffer.alloc(declared === undefined ? 0 : 8);
  if (declared !== undefined) size.writeBigUInt64LE(BigInt(declared));
  const descriptor = (declared === undefined ? 0 : 0xc0) | descriptorBits;
  const parts = blocks.map((block, index) => {
    const isLast = index === blocks.length - 1 ? 1 : 0;
    const content = 'raw' in block ? Buffer.from(block.raw) : Buffer.from(' ');
    const field = (('raw' in block ? content.length : block.repeats) << 3) | ('raw' in block ? 0 : 2) | isLast;
    return Buffer.concat([Buffer.from([field & 0xff, (field >> 8) & 0xff, field >> 16]), content]);
  });
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, descriptor, 0x58, ...dictionary]), size, ...parts]);
}
