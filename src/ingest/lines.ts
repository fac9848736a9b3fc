import type { Step } from './step.ts';

export type FoundLine =
  /** A line that is not blank; `number` counts all lines from 1. */
  { readonly kind: 'line'; readonly bytes: Buffer; readonly number: number } | Step;

/** Walks over the lines that are not blank. Yields steps while it passes over many blanks. */
export function* linesIn(bytes: Buffer): Generator<FoundLine, void, undefined> {
  let number = 0;
  let passed = 0;
  for (let start = 0; start < bytes.length; ) {
    const lineFeed = bytes.indexOf(lineFeedByte, start);
    const end = lineFeed < 0 ? bytes.length : lineFeed;
    number++;
    let at = start;
    while (at < end) {
      const stopAt = Math.min(end, at + blanksPerStep);
      while (at < stopAt && isBlank(bytes[at])) at++;
      if (at < stopAt || at === end) break;
      yield { kind: 'step', work: blanksPerStep };
    }
    if (at < end) yield { kind: 'line', bytes: bytes.subarray(start, end), number };
    else {
      passed += end - start + 1;
      if (passed >= blanksPerStep) {
        yield { kind: 'step', work: passed };
        passed = 0;
      }
    }
    start = end + 1;
  }
}

const lineFeedByte = 0x0a;
const blanksPerStep = 64 * 1024;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
