/** A zstd frame without size whose blocks each repeat one byte; `window` is the descriptor byte. */
export function zstdRepeats(blocks: number, blockBytes: number, window = 0x58): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, window]);
  const body = Array.from({ length: blocks }, (_, index) => {
    const field = (blockBytes << 3) | (1 << 1) | (index === blocks - 1 ? 1 : 0);
    return Buffer.from([field & 0xff, (field >> 8) & 0xff, field >> 16, 0x20]);
  });
  return Buffer.concat([header, ...body]);
}
