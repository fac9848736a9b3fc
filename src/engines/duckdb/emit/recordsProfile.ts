import type { OutputColumn } from '../../../googlesql/resolve/tree.ts';

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

/** Bytes of rows that are rewritten in one step. */
const stepBytes = 64 * 1024;

/**
 * Rewrites, in steps, rows to the `records` profile (contract, section 1, "Values"): at every level, an object inside a row
 * becomes an array that holds it. The row itself, objects that are array elements, and the top object of a column of
 * form `object` stay.
 *
 * `rows` are JSON objects separated by commas, without white space, members in column order.
 */
export function* recordsInSteps(
  rows: Uint8Array,
  columns: readonly Pick<OutputColumn, 'recordForm'>[],
): Generator<undefined, Uint8Array> {
  let target = Buffer.allocUnsafe(rows.length + (rows.length >> 3) + 64);
  let length = 0;
  const push = (byte: number): void => {
    if (length === target.length) {
      const larger = Buffer.allocUnsafe(target.length * 2);
      target.copy(larger);
      target = larger;
    }
    target[length] = byte;
    length += 1;
  };
  // Kind of each open container: `[`, or `{` with or without an array around it.
  const open: ('array' | 'object' | 'wrapped')[] = [];
  let column = 0;
  let isInText = false;
  let i = 0;
  const rewriteUntil = (end: number): void => {
    for (; i < end; i++) {
      const byte = rows[i] ?? 0;
      if (isInText) {
        push(byte);
        if (byte === backslash) {
          i += 1;
          push(rows[i] ?? 0);
        } else if (byte === quote) isInText = false;
        continue;
      }
      if (byte === quote) isInText = true;
      if (byte === openBrace) {
        const parent = open.at(-1);
        const isRow = parent === undefined;
        const isTopObject = open.length === 1 && columns[column]?.recordForm === 'object';
        const isWrapped = !isRow && !isTopObject && parent !== 'array';
        if (isRow) column = 0;
        if (isWrapped) push(openBracket);
        open.push(isWrapped ? 'wrapped' : 'object');
      } else if (byte === openBracket) open.push('array');
      else if (byte === comma && open.length === 1) column += 1;
      push(byte);
      if (byte === closeBrace && open.pop() === 'wrapped') push(closeBracket);
      if (byte === closeBracket) open.pop();
    }
  };
  for (let end = stepBytes; i < rows.length; end += stepBytes) {
    rewriteUntil(Math.min(end, rows.length));
    yield;
  }
  return target.subarray(0, length);
}
