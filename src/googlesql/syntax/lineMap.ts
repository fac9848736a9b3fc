import type { Position } from './position.ts';

/** Converts offsets of one text to lines and columns. Lines end with LF or CR LF. */
export class LineMap {
  readonly #starts: readonly number[];
  /** The last line found. Offsets mostly arrive in order, so the search starts there. */
  #last = 0;

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  position(offset: number): Position {
    const starts = this.#starts;
    let line = this.#last;
    if (offset < (starts[line] ?? 0)) line = this.#search(offset);
    else if (offset >= (starts[line + 1] ?? Number.POSITIVE_INFINITY)) {
      line++;
      if (offset >= (starts[line + 1] ?? Number.POSITIVE_INFINITY)) line = this.#search(offset);
    }
    this.#last = line;
    return Object.freeze({ offset, line: line + 1, column: offset - (starts[line] ?? 0) + 1 });
  }

  /** The last line that starts at or before the offset. */
  #search(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
