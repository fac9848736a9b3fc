import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectEqual } from '../../test/support/expectEqual.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { closeBody, endBytesMax, openBody } from './openBody.ts';

const decoders = { gzip: gunzipSync, br: brotliDecompressSync } as const;
const bytes = (maxLength: number) =>
  fc.oneof(
    fc.uint8Array({ maxLength }),
    // Rows repeat themselves.
    fc.tuple(fc.string({ maxLength: 40 }), fc.nat({ max: maxLength })).map(([text, n]) => Buffer.from(text.repeat(n))),
  );

describe.each(['gzip', 'br'] as const)('an open body in %s', (coding) => {
  it('is one stream of the whole with each of its ends, whatever both are', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(5000), fc.array(bytes(200), { minLength: 1, maxLength: 3 }), async (plain, ends) => {
        const open = await openBody(coding, Buffer.from(plain), new Turns());
        for (const each of ends) {
          const end = Buffer.from([...each, 125]);
          expectEqual(decoders[coding](closeBody(open, end)), Buffer.concat([plain, end]));
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([1, 2, 255, 256, 257, 65_534, endBytesMax])('has room for an end of %i bytes', async (length) => {
    const open = await openBody(coding, Buffer.from('rows'), new Turns());
    const end = Buffer.alloc(length, 'x');
    expect(decoders[coding](closeBody(open, end)).length).toBe(4 + length);
  });

  it.each([0, endBytesMax + 1])('refuses an end of %i bytes', async (length) => {
    const open = await openBody(coding, Buffer.from('rows'), new Turns());
    expect(() => closeBody(open, Buffer.alloc(length))).toThrow(RangeError);
  });
});
