/** Measured: up to here, copying byte by byte is faster than a view of the source. */
const loopedBytes = 96;

/** Copies `source` from `from` to `to` into `target` at `at`, fast for few bytes too. */
export function copyBytes(source: Uint8Array, from: number, to: number, target: Uint8Array, at: number): void {
  const count = to - from;
  if (count < loopedBytes) for (let i = 0; i < count; i++) target[at + i] = source[from + i] ?? 0;
  else target.set(new Uint8Array(source.buffer, source.byteOffset + from, count), at);
}
