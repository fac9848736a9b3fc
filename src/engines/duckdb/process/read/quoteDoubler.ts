import { memoryPages, quoteDoublerProgram } from './quoteDoublerProgram.ts';

const pageBytes = 64 * 1024;

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly double: (from: number, to: number, at: number) => number;
}

/** The types of Node have no classes for it. */
const { Module, Instance } = Reflect.get(globalThis, 'WebAssembly') as {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Exports };
};

const program = new Module(quoteDoublerProgram);

/** The program reads and writes up to this many bytes too many. */
const slackBytes = 8;
const doubledAt = pageBytes + slackBytes;

/** Bytes of lines that fit at once. */
export const doubledAtOnceMax = Math.min(pageBytes, Math.floor((memoryPages * pageBytes - doubledAt - slackBytes) / 2));

/**
 * Doubles the quotes of lines of CSV, and writes each `quoteMark` as one quote. In WebAssembly, because `replace` of the engine
 * takes eight times as long, and a loop in JavaScript five times.
 */
export class QuoteDoubler {
  readonly #bytes: Uint8Array;
  readonly #double: Exports['double'];
  #loaded = 0;
  #end = doubledAt;

  constructor() {
    const { memory, double } = new Instance(program).exports;
    this.#bytes = new Uint8Array(memory.buffer);
    this.#double = double;
  }

  /** Takes bytes of lines, at most `doubledAtOnceMax`, instead of those that it has. */
  load(bytes: Uint8Array, from: number, to: number): void {
    if (to - from > doubledAtOnceMax) throw new RangeError(`${to - from} bytes are too many`);
    this.#bytes.set(bytes.subarray(from, to));
    this.#loaded = 0;
    this.#end = doubledAt;
  }

  /** Goes on until byte `to` of those that were loaded, and returns how many bytes were written for all up to there. */
  doubleUntil(to: number): number {
    this.#end = this.#double(this.#loaded, to, this.#end);
    this.#loaded = to;
    return this.#end - doubledAt;
  }

  /** The first bytes that were written; valid until others are loaded. */
  written(count: number): Uint8Array {
    return this.#bytes.subarray(doubledAt, doubledAt + count);
  }
}
