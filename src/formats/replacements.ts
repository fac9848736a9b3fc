/** What a format writes instead of bytes below 0x80. */
export interface Replacements {
  /** By byte: 1 if it is written as it is, otherwise 0. */
  readonly isKept: Uint8Array;
  readonly texts: readonly (Uint8Array | undefined)[];
  /** The most bytes that stand for one. */
  readonly bytesMax: number;
}

export function replacements(texts: Readonly<Record<string, string>>): Replacements {
  const isKept = new Uint8Array(256).fill(1);
  const table: (Uint8Array | undefined)[] = Array.from({ length: 256 }, () => undefined);
  for (const [character, text] of Object.entries(texts)) {
    isKept[character.charCodeAt(0)] = 0;
    table[character.charCodeAt(0)] = Buffer.from(text);
  }
  return { isKept, texts: table, bytesMax: Math.max(...Object.values(texts).map((text) => Buffer.byteLength(text))) };
}
