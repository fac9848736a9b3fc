import { describe, expect, it } from 'vitest';
import { lineBatches } from './lineBatches.ts';
import { readLines } from './readLines.ts';

async function batchesOf(text: string, linesMax: number, bytesMax: number) {
  async function* input(): AsyncGenerator<Buffer> {
    yield Buffer.from(text);
  }
  const tooLong: number[] = [];
  const batches: (readonly [string, readonly number[]])[] = [];
  for await (const { body, lineNumbers } of lineBatches(readLines(input(), 8), { linesMax, bytesMax }, (line) =>
    tooLong.push(line),
  )) {
    batches.push([body.toString('utf8'), lineNumbers]);
  }
  return { batches, tooLong };
}

describe('lineBatches', () => {
  it('leaves blank lines out and keeps the number of every other line in the file', async () => {
    const { batches } = await batchesOf('a\n\n \t\r\nb\nc\n', 2, 100);
    expect(batches).toEqual([
      ['a\nb\n', [1, 4]],
      ['c\n', [5]],
    ]);
  });

  it('begins a new batch before one grows past its bytes, and reports lines that are too long', async () => {
    const { batches, tooLong } = await batchesOf('1234\n5678\n123456789\n1\n', 100, 9);
    expect(batches).toEqual([
      ['1234\n', [1]],
      ['5678\n1\n', [2, 4]],
    ]);
    expect(tooLong).toEqual([3]);
  });

  it('sends nothing for an empty file', async () => {
    expect((await batchesOf('\n\n', 10, 10)).batches).toEqual([]);
  });
});
