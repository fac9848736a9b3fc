import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileLine, readLines } from './readLines.ts';

async function* chunksOf(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (const size of sizes) {
    yield bytes.subarray(at, at + size);
    at += size;
  }
  yield bytes.subarray(at);
}

async function linesOf(
  text: string,
  bytesMax: number,
  sizes: readonly number[] = [],
): Promise<readonly (string | number)[]> {
  const found: (string | number)[] = [];
  for await (const line of readLines(chunksOf(Buffer.from(text), sizes), bytesMax)) {
    expect(line.number).toBe(found.length + 1);
    found.push(line.kind === 'line' ? line.bytes.toString('utf8') : -1);
  }
  return found;
}

describe('readLines', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['a', ['a']],
    ['a\n', ['a']],
    ['a\nb', ['a', 'b']],
    ['\n\nb\n', ['', '', 'b']],
    ['a\r\nb', ['a\r', 'b']],
    ['ä\u2028ö\nü', ['ä\u2028ö', 'ü']],
    ['\ufeffa\n\ufeffb', ['a', '\ufeffb']],
    ['\ufeff\r\na', ['\r', 'a']],
  ])('reads %j', async (text, expected) => {
    expect(await linesOf(text, 100)).toEqual(expected);
  });

  it('gives the same lines however the bytes arrive', async () => {
    const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n', '{', '\r') }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 0, max: 5 })), async (parts, sizes) => {
        const text = parts.join('\n');
        expect(await linesOf(text, 1000, sizes)).toEqual(await linesOf(text, 1000));
      }),
    );
  });

  it('passes over a line that is too long and goes on with the next', async () => {
    expect(await linesOf(`${'x'.repeat(11)}\n${'y'.repeat(10)}\n${'z'.repeat(30)}`, 10, [3, 3, 3, 3])).toEqual([
      -1,
      'y'.repeat(10),
      -1,
    ]);
  });

  it('holds no more than one line in memory', async () => {
    const heldBefore = process.memoryUsage().arrayBuffers;
    async function* endless(): AsyncGenerator<Buffer> {
      for (let chunk = 0; chunk < 2000; chunk++) yield Buffer.alloc(1024 * 1024, 0x78);
    }
    const lines: FileLine[] = [];
    for await (const line of readLines(endless(), 1024)) lines.push(line);
    expect(lines).toEqual([{ kind: 'too_long', number: 1 }]);
    // What this test has put there alone: the worker is shared, and holds what other files have loaded.
    expect(process.memoryUsage().arrayBuffers - heldBefore).toBeLessThan(1024 ** 3);
  });
});
