import { quoteMark } from '../../quoteMark.ts';

const quote = 0x22;

/** Pages of 64 KiB. */
export const memoryPages = 4;

/** Instructions of WebAssembly with their operands. */
const { get, set, tee, int, long, i32, i64, repeat, ifBlock, end, again, giveBack } = {
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  int: (value: number) => [0x41, ...signedLeb(BigInt(value))],
  long: (value: bigint) => [0x42, ...signedLeb(BigInt.asIntN(64, value))],
  i32: {
    add: [0x6a],
    sub: [0x6b],
    equal: [0x46],
    isAtLeast: [0x4f],
    load8: [0x2d, 0, 0],
    store16: [0x3b, 0, 0],
    of64: [0xa7],
  },
  i64: {
    load: [0x29, 0, 0],
    store: [0x37, 0, 0],
    isZero: [0x50],
    trailingZeros: [0x7a],
    sub: [0x7d],
    and: [0x83],
    or: [0x84],
    xor: [0x85],
    shiftRight: [0x88],
  },
  repeat: [0x03, 0x40],
  ifBlock: [0x04, 0x40],
  end: [0x0b],
  /** Begins the loop again, from so many blocks inside it. */
  again: (blocks: number) => [0x0c, blocks],
  giveBack: [0x0f],
};

/** Writes a number as WebAssembly does: seven bits in each byte, the lowest first. */
function signedLeb(value: bigint): number[] {
  const low = Number(value & 0x7fn);
  const rest = value >> 7n;
  const isLast = (rest === 0n && low < 0x40) || (rest === -1n && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signedLeb(rest)];
}

const [from, to, at, word, found, skipped] = [0, 1, 2, 3, 4, 5];
const inEachByte = (byte: number): bigint => 0x0101010101010101n * BigInt(byte);

/**
 * Sets the highest bit of the lowest byte of `found` that is zero in `word` xor `byte`; bits below it stay unset, and bits
 * above it mean nothing.
 */
const markBytes = (byte: number): number[] => [
  ...[...get(word), ...long(inEachByte(byte)), ...i64.xor, ...tee(found)],
  ...[...long(inEachByte(1)), ...i64.sub],
  ...[...get(found), ...long(-1n), ...i64.xor, ...i64.and],
];

const advance = (local: number, by: readonly number[]): number[] => [...get(local), ...by, ...i32.add, ...set(local)];

/**
 * `double(from, to, at)`: copies bytes of the memory with every quote doubled and every mark as one quote, and returns where
 * they end. Reads and writes up to eight bytes too many.
 */
const body: readonly number[] = [
  ...repeat,
  // All is copied; `from` may have passed `to`, and `at` with it.
  ...[...get(from), ...get(to), ...i32.isAtLeast, ...ifBlock],
  ...[...get(at), ...get(from), ...get(to), ...i32.sub, ...i32.sub, ...giveBack, ...end],
  ...[...get(at), ...get(from), ...i64.load, ...tee(word), ...i64.store],
  ...[...markBytes(quote), ...markBytes(quoteMark), ...i64.or, ...long(inEachByte(0x80)), ...i64.and, ...tee(found)],
  ...[...i64.isZero, ...ifBlock, ...advance(from, int(8)), ...advance(at, int(8)), ...again(1), ...end],
  ...[...get(found), ...i64.trailingZeros, ...long(3n), ...i64.shiftRight, ...i32.of64, ...set(skipped)],
  ...[...advance(from, get(skipped)), ...advance(at, get(skipped))],
  ...[...get(from), ...get(to), ...i32.isAtLeast, ...ifBlock, ...again(1), ...end],
  ...[...get(at), ...int((quote << 8) | quote), ...i32.store16],
  // One more if it is a quote.
  ...advance(at, [...get(from), ...i32.load8, ...int(quote), ...i32.equal, ...int(1), ...i32.add]),
  ...[...advance(from, int(1)), ...again(0), ...end],
  // Never reached.
  0x00,
  ...end,
];

const [typeOfInt, typeOfLong] = [0x7f, 0x7e];
const text = (value: string): number[] => [value.length, ...Buffer.from(value)];
/** Begins with the length, in two bytes of seven bits. */
const sized = (bytes: readonly number[]): number[] => [(bytes.length & 0x7f) | 0x80, bytes.length >> 7, ...bytes];
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];

/** The program as a module that exports its memory as `memory` and the function `double`. */
export const quoteDoublerProgram = Uint8Array.from([
  ...[...Buffer.from('\0asm'), 1, 0, 0, 0],
  ...section(1, [1, 0x60, 3, typeOfInt, typeOfInt, typeOfInt, 1, typeOfInt]),
  ...section(3, [1, 0]),
  ...section(5, [1, 1, memoryPages, memoryPages]),
  ...section(7, [2, ...text('memory'), 2, 0, ...text('double'), 0, 0]),
  ...section(10, [1, ...sized([2, 2, typeOfLong, 1, typeOfInt, ...body])]),
]);
