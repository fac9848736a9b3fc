/** One message, or the number of bytes of one that was too long to keep. */
export type SyslogFrame =
  | { readonly kind: 'message'; readonly bytes: Buffer }
  | { readonly kind: 'too_long'; readonly bytes: number };

const lineFeed = 0x0a;
const space = 0x20;
const lessThan = 0x3c;
const digitsMax = 9;

/**
 * Divides the bytes of a connection into messages (RFC 6587): with their length before them (octet counting), or ended
 * by a line feed. Each message tells by its first byte which of the two it is. Keeps at most `messageBytesMax` bytes of
 * an incomplete message; a longer one is passed over.
 */
export class SyslogFrames {
  readonly #messageBytesMax: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the last message was preceded by its length. */
  #isCounted = false;
  /** Bytes of a message that is too long, so far; null if no such message is being passed over. */
  #passed: { bytes: number; left: number | null } | null = null;

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
  }

  /** The messages that are complete with these bytes. */
  push(chunk: Buffer): readonly SyslogFrame[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: SyslogFrame[] = [];
    while (bytes.length > 0) {
      const end = this.#passed === null ? this.#next(bytes, frames) : this.#passOver(this.#passed, bytes, frames);
      if (end === 0) break;
      bytes = bytes.subarray(end);
    }
    // A copy, so that a few bytes do not keep a whole chunk.
    this.#rest = Buffer.from(bytes);
    return frames;
  }

  /**
   * The message that the end of the connection completes: a last line without a line feed. Digits alone are also a message,
   * unless the message before was preceded by its length: then they begin another length.
   */
  end(): readonly SyslogFrame[] {
    const bytes = this.#rest;
    this.#rest = Buffer.alloc(0);
    if (this.#passed !== null) return [{ kind: 'too_long', bytes: this.#passed.bytes + bytes.length }];
    const count = countOf(bytes);
    const isCut = count === 'incomplete' ? this.#isCounted : count !== null;
    return isCut ? [] : messageOf(bytes);
  }

  /** Takes one message off the bytes. Returns where it ends; 0 if more bytes are needed. */
  #next(bytes: Buffer, frames: SyslogFrame[]): number {
    const count = countOf(bytes);
    if (count === 'incomplete') return 0;
    this.#isCounted = count !== null;
    if (count !== null) {
      const { start, length } = count;
      if (length > this.#messageBytesMax) {
        this.#passed = { bytes: 0, left: length };
        return start;
      }
      if (bytes.length < start + length) return 0;
      frames.push(...messageOf(bytes.subarray(start, start + length)));
      return start + length;
    }
    const end = bytes.indexOf(lineFeed);
    if (end < 0 && bytes.length <= this.#messageBytesMax) return 0;
    if (end < 0 || end > this.#messageBytesMax) {
      this.#passed = { bytes: 0, left: null };
      return this.#passOver(this.#passed, bytes, frames);
    }
    frames.push(...messageOf(bytes.subarray(0, end)));
    return end + 1;
  }

  #passOver(passed: { bytes: number; left: number | null }, bytes: Buffer, frames: SyslogFrame[]): number {
    const found = passed.left ?? bytes.indexOf(lineFeed);
    const isWhole = found >= 0 && found <= bytes.length;
    const taken = isWhole ? found : bytes.length;
    passed.bytes += taken;
    if (passed.left !== null) passed.left -= taken;
    if (!isWhole) return bytes.length;
    frames.push({ kind: 'too_long', bytes: passed.bytes });
    const isLine = passed.left === null;
    this.#passed = null;
    return isLine ? taken + 1 : taken;
  }
}

/**
 * The length before a message, and where the message begins. Null if the bytes begin with something else, such as `<` of
 * a priority, or a line that begins with a number: a counted message begins with a priority.
 */
function countOf(bytes: Buffer): { readonly start: number; readonly length: number } | 'incomplete' | null {
  let length = 0;
  for (let at = 0; at <= digitsMax; at++) {
    const byte = bytes[at];
    if (byte === undefined) return at === 0 ? null : 'incomplete';
    if (byte === space && at > 0) {
      const first = bytes[at + 1];
      if (first === undefined) return 'incomplete';
      return first === lessThan ? { start: at + 1, length } : null;
    }
    const digit = byte - 0x30;
    if (digit < (at === 0 ? 1 : 0) || digit > 9) return null;
    length = length * 10 + digit;
  }
  return null;
}

/** Without the line end that some senders add, also to a counted message. Empty messages are none. */
function messageOf(bytes: Buffer): readonly SyslogFrame[] {
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === lineFeed || bytes[end - 1] === 0x0d || bytes[end - 1] === 0)) end--;
  return end === 0 ? [] : [{ kind: 'message', bytes: Buffer.from(bytes.subarray(0, end)) }];
}
