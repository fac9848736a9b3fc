import { afterEach, describe, expect, test, vi } from 'vitest';
import { zstdFrame } from './decompress.fixture.ts';
import { decompress } from './decompress.ts';
import { DecoderFault, decodeOnThread } from './zstdThread.ts';

const bytesMax = 4 * 1024 * 1024;
/** Of blocks of 100,000 bytes: what is decoded at once, and what takes a thread. */
const sizes = [
  ['at once', 1],
  ['on a thread', 10],
] as const;

const textOf = async (body: Uint8Array) => Buffer.from(await decompress(body, 'zstd', bytesMax)).toString();
const malformed = (reason: string) => ({
  code: 'request.malformed',
  status: 400,
  message: expect.stringContaining(reason),
});
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);
/** By the zstd command: 64 letters x, compressed, with the size declared in one byte, which is the sixth. */
const compressed = Buffer.from('KLUv/SBARQAAEHh4AQCTABY=', 'base64');

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a frame of zstd that declares its size', () => {
  test('of nothing is empty, and is refused with anything in it, which would be lost', async () => {
    const nothing = zstdFrame({ declared: 0, blocks: [{ raw: '' }] });
    expect(await textOf(nothing)).toBe('');
    expect(await textOf(Buffer.concat([nothing, zstdFrame({ declared: 2, blocks: [{ raw: 'ab' }] })]))).toBe('ab');
    for (const blocks of [[{ raw: '[{}]' }], [{ repeats: 5 }], [{ raw: '' }, { raw: 'x' }]]) {
      await expect(textOf(zstdFrame({ declared: 0, blocks }))).rejects.toMatchObject(malformed('zstd'));
    }
  });

  test.each(sizes)('has to have that size, no byte more or less (%s)', async (_, count) => {
    const blocks = [...Array.from({ length: count }, () => ({ repeats: 100_000 })), { raw: 'end' }];
    const length = count * 100_000 + 3;
    expect(await textOf(zstdFrame({ declared: length, blocks }))).toBe(`${' '.repeat(length - 3)}end`);
    for (const declared of [length - 4, length - 3, length - 1, length + 1, length + 100_000]) {
      await expect(textOf(zstdFrame({ declared, blocks })), `${declared} bytes`).rejects.toMatchObject(
        malformed('zstd'),
      );
    }
  });

  test('has to have it also where its block is compressed', async () => {
    expect(await textOf(compressed)).toBe('x'.repeat(64));
    for (const declared of [0, 1, 63, 65, 200]) {
      const other = Buffer.from(compressed);
      other[5] = declared;
      await expect(textOf(other), `${declared} bytes`).rejects.toMatchObject(malformed('zstd'));
    }
  });
});

describe('other forms of zstd', () => {
  test('frames that are passed over give nothing, wherever they stand', async () => {
    const frame = zstdFrame({ blocks: [{ raw: 'ab' }] });
    expect(await textOf(skippable)).toBe('');
    expect(await textOf(Buffer.concat([skippable, frame, skippable, skippable, frame, skippable]))).toBe('abab');
  });

  test.each(sizes)(
    'a body that is cut off is refused at every place, unless a whole frame ends there (%s)',
    async (_, count) => {
      const blocks = Array.from({ length: count }, () => ({ repeats: 100_000 }));
      const first = Buffer.concat([skippable, zstdFrame({ declared: count * 100_000, blocks })]);
      const whole = Buffer.concat([first, zstdFrame({ blocks: [...blocks, { raw: 'end' }] })]);
      for (let length = 1; length < whole.length; length++) {
        const cut = decompress(whole.subarray(0, length), 'zstd', bytesMax);
        if (length === skippable.length || length === first.length) await cut;
        else await expect(cut, `${length} bytes`).rejects.toMatchObject(malformed('cut off'));
      }
      expect((await textOf(whole)).length).toBe(2 * count * 100_000 + 3);
    },
  );

  test('a dictionary is said to be needed where one is named', async () => {
    const frame = zstdFrame({ blocks: [{ raw: 'ab' }], descriptorBits: 1, dictionary: [7] });
    await expect(textOf(frame)).rejects.toMatchObject(malformed('a dictionary is needed'));
  });
});

describe('a fault of the decoder is no fault of the body', () => {
  const refusedForNow = { code: 'ingest.overloaded', status: 503, retryAfterSeconds: 1 };
  const noMemory = () => {
    throw new RangeError('Array buffer allocation failed');
  };

  test('where it has no memory at once', async () => {
    const body = zstdFrame({ declared: 2, blocks: [{ raw: 'ab' }] });
    const own = Uint8Array;
    // The second memory that it asks for is that of the content.
    let count = 0;
    vi.stubGlobal(
      'Uint8Array',
      new Proxy(own, { construct: (of, with_) => (++count === 2 ? noMemory() : new of(...(with_ as [number]))) }),
    );
    const outcome = decompress(body, 'zstd', bytesMax).catch((error: unknown) => error);
    vi.unstubAllGlobals();
    expect(await outcome).toMatchObject(refusedForNow);
  });

  test('where it has none on the thread', async () => {
    const bytes = new Uint8Array(zstdFrame({ declared: 2, blocks: [{ raw: 'ab' }] }));
    const places = [{ start: 0, end: bytes.length, contentBytes: 2 ** 52 }];
    await expect(decodeOnThread(bytes, places, bytesMax)).rejects.toBeInstanceOf(DecoderFault);
  });
});
