import type { Pause } from '../core/concurrency/turns.ts';
import { copyBytes } from '../core/copyBytes.ts';
import type { Replacements } from './replacements.ts';

const blockBytes = 1024 * 1024;

/** Size of a new block after bytes of the last one were handed over. */
const takenBytes = 256 * 1024;

/** A block with less room left is not continued after its bytes were handed over. */
const roomMin = 16 * 1024;

const nothing = new Uint8Array();

/** Bytes for which room is made at once if each may be replaced by more. */
const replacedAtOnce = 1024;

/** Collects bytes of unknown number. Blocks are not moved when more follow. */
export class ByteSink {
  #full: Buffer[] = [];
  #block: Buffer;
  #used = 0;
  #fullBytes = 0;

  /** `firstBytes`: size of the first block; later ones are larger. */
  constructor(firstBytes = 16 * 1024) {
    this.#block = Buffer.allocUnsafe(firstBytes);
  }

  get length(): number {
    return this.#fullBytes + this.#used;
  }

  push(byte: number): void {
    if (this.#used === this.#block.length) this.#next(1);
    this.#block[this.#used++] = byte;
  }

  /** Appends `bytes` from `from` to `to`. */
  append(bytes: Uint8Array, from = 0, to = bytes.length): void {
    const count = to - from;
    if (this.#used + count > this.#block.length) this.#next(count);
    copyBytes(bytes, from, to, this.#block, this.#used);
    this.#used += count;
  }

  /** Appends bytes that nobody changes any more, without copying them. */
  adopt(bytes: Uint8Array): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#full.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.#fullBytes += this.#used + bytes.length;
    this.#goOn();
  }

  /** Appends `bytes` from `from` to `to`, with others in place of those that the table names. */
  appendReplaced(bytes: Uint8Array, from: number, to: number, { isKept, texts, bytesMax }: Replacements): void {
    for (let at = from; at < to; ) {
      const stopAt = Math.min(to, at + replacedAtOnce);
      const most = (stopAt - at) * bytesMax;
      if (this.#used + most > this.#block.length) this.#next(most);
      const block = this.#block;
      let used = this.#used;
      for (; at < stopAt; at++) {
        const byte = bytes[at] ?? 0;
        if (isKept[byte] === 1) {
          block[used++] = byte;
          continue;
        }
        const text = texts[byte] ?? nothing;
        for (let i = 0; i < text.length; i++) block[used++] = text[i] ?? 0;
      }
      this.#used = used;
    }
  }

  text(text: string): void {
    this.append(Buffer.from(text));
  }

  /** Hands over the bytes collected so far, in order, and goes on after these. */
  take(): readonly Buffer[] {
    const parts = this.#used === 0 ? this.#full : [...this.#full, this.#block.subarray(0, this.#used)];
    this.#full = [];
    this.#fullBytes = 0;
    this.#goOn();
    return parts;
  }

  /** All bytes, which must be UTF-8, as a string. */
  toString(): string {
    const last = this.#block.subarray(0, this.#used);
    return (this.#full.length === 0 ? last : Buffer.concat([...this.#full, last])).toString('utf8');
  }

  /** All bytes in one buffer, copied in turns; ends the collection, and releases each block once it is copied. */
  async whole(pause: Pause): Promise<Buffer> {
    const last = this.#block.subarray(0, this.#used);
    if (this.#full.length === 0) return last;
    const whole = Buffer.allocUnsafe(this.length);
    this.#full.push(last);
    let at = 0;
    for (let block = this.#full.shift(); block !== undefined; block = this.#full.shift()) {
      for (let from = 0; from < block.length; from += blockBytes) {
        if (pause.isDue(blockBytes)) await pause.take();
        at += block.copy(whole, at, from, from + blockBytes);
      }
    }
    return whole;
  }

  /** Goes on after the bytes of the block, which belong to others now. */
  #goOn(): void {
    const rest = this.#block.subarray(this.#used);
    this.#block = rest.length < roomMin ? Buffer.allocUnsafe(takenBytes) : rest;
    this.#used = 0;
  }

  #next(count: number): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    this.#fullBytes += this.#used;
    this.#block = Buffer.allocUnsafe(Math.max(count, Math.min(blockBytes, this.#block.length * 4)));
    this.#used = 0;
  }
}
