import fc from 'fast-check';
import { compress } from 'snappyjs';
import { describe, expect, test } from 'vitest';
import { snappyLiterals } from '../../test/support/lokiPush.ts';
import { everyLookEndsTurn, turnsTaken } from '../../test/support/turnsTaken.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { unpackSnappy } from './unpackSnappy.ts';

const unpack = (block: Uint8Array, bytesMax = 1_000_000, take: (bytes: number) => void = () => undefined) =>
  unpackSnappy(block, bytesMax, new Turns(), take);

const malformed = { code: 'request.malformed', status: 400 };

describe('a block of Snappy', () => {
  test('that another implementation compressed gives the same bytes again', async () => {
    const repetitive = fc
      .tuple(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 400 }))
      .map(([piece, count]) => Buffer.concat(Array<Uint8Array>(count).fill(piece)));
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 500 }), repetitive), async (bytes) => {
        expect(Buffer.from(await unpack(compress(Uint8Array.from(bytes)))).equals(Buffer.from(bytes))).toBe(true);
      }),
      { seed: 16, numRuns: 200 },
    );
  });

  // By hand from format_description.txt: a literal of four bytes, and copies with each size of offset.
  test.each<[string, readonly number[], string]>([
    ['no bytes', [0], ''],
    [
      'a copy with one byte of offset, which overlaps its output',
      [12, 0x0c, 97, 98, 99, 100, 0b000_100_01, 4],
      'abcdabcdabcd',
    ],
    ['a copy with two bytes of offset', [8, 0x0c, 97, 98, 99, 100, 0b000011_10, 4, 0], 'abcdabcd'],
    ['a copy with four bytes of offset', [8, 0x0c, 97, 98, 99, 100, 0b000011_11, 4, 0, 0, 0], 'abcdabcd'],
    ['a literal whose length has a byte of its own', [3, 60 << 2, 2, 97, 98, 99], 'abc'],
    ['a literal whose length has four bytes', [3, 63 << 2, 2, 0, 0, 0, 97, 98, 99], 'abc'],
  ])('with %s is unpacked', async (_what, bytes, text) => {
    expect(Buffer.from(await unpack(Buffer.from(bytes))).toString()).toBe(text);
  });

  test.each<[string, readonly number[]]>([
    ['nothing', []],
    ['a size that does not end', [0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['a size of more than 32 bits', [0xff, 0xff, 0xff, 0xff, 0x7f]],
    ['less than it claims', [5, 0x0c, 97, 98, 99, 100]],
    ['more than it claims', [3, 0x0c, 97, 98, 99, 100]],
    ['a literal that is cut off', [4, 0x0c, 97, 98]],
    ['a literal of four gigabytes', [4, 63 << 2, 0xff, 0xff, 0xff, 0xff, 97]],
    ['a length that is cut off', [4, 63 << 2, 1]],
    ['a copy without output before it', [4, 0b000_000_01, 1]],
    ['a copy of offset 0', [8, 0x0c, 97, 98, 99, 100, 0b000_000_01, 0]],
    ['a copy from before the output', [8, 0x0c, 97, 98, 99, 100, 0b000_000_01, 5]],
    ['a copy that is cut off', [8, 0x0c, 97, 98, 99, 100, 0b000011_10, 4]],
  ])('with %s is refused', async (_what, bytes) => {
    await expect(unpack(Buffer.from(bytes))).rejects.toMatchObject(malformed);
  });

  test('of random bytes is refused or unpacked, and nothing else', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
        const outcome = await unpack(bytes).catch((error: unknown) => error);
        if (!Buffer.isBuffer(outcome)) expect(outcome).toMatchObject({ code: expect.stringMatching(/^request\./) });
      }),
      { seed: 16, numRuns: 1000 },
    );
  });

  test('that claims too much is refused before memory is taken', async () => {
    const taken: number[] = [];
    const take = (bytes: number) => taken.push(bytes);
    const block = Buffer.concat([Buffer.from([0xe8, 0x07]), snappyLiterals(Buffer.alloc(1000)).subarray(2)]);
    await expect(unpack(block, 999, take)).rejects.toMatchObject({ code: 'request.too_large', status: 413 });
    // One gigabyte, from six bytes.
    const bomb = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x04, 0]);
    await expect(unpack(bomb, 2 ** 31, take)).rejects.toMatchObject(malformed);
    expect(taken).toEqual([]);
    await unpack(block, 1000, take);
    expect(taken).toEqual([1000]);
  });

  test('of sixteen megabytes is unpacked in turns', async () => {
    const block = snappyLiterals(Buffer.alloc(16 * 1024 * 1024, 'x'));
    const turns = new Turns(everyLookEndsTurn());
    expect(await turnsTaken(() => unpackSnappy(block, 2 ** 30, turns, () => undefined))).toBeGreaterThan(100);
  });
});
