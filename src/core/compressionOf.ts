const beginnings = [
  ['gzip', Buffer.from([0x1f, 0x8b, 0x08])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
] as const;

/** The compression of bytes, from their first bytes. Texts in UTF-8, JSON and OTLP never begin with these. */
export function compressionOf(bytes: Uint8Array): 'gzip' | 'zstd' | undefined {
  return beginnings.find(([, beginning]) => beginning.equals(bytes.subarray(0, beginning.length)))?.[0];
}
