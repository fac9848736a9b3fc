import { afterEach, describe, expect, test, vi } from 'vitest';
import { decompress, zstdFrame } from './decompress.fixture.ts';

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

  test('where it has no memory', async () => {
    const body = zstdFrame({ declared: 2, blocks: [{ raw: 'ab' }] });
    expect(await textOf(body)).toBe('ab');
    vi.spyOn(Uint8Array.prototype, 'slice').mockImplementation(() => {
      throw new RangeError('Array buffer allocation failed');
    });
    const outcome = await decompress(body, 'zstd', bytesMax).catch((error: unknown) => error);
    vi.restoreAllMocks();
    expect(outcome).toMatchObject(refusedForNow);
    expect(await textOf(body)).toBe('ab');
  });
});

describe('a damaged body', () => {
  const lines = Array.from({ length: 200 }, (_, i) =>
    JSON.stringify({ id: `e${i}`, message: `GET /${(i * 7919) % 100}` }),
  ).join('\n');
  /** Of these lines by the zstd command, with their size and a checksum. */
  const whole = Buffer.from(
    [
      'KLUv/QRodRIA9mBCGnBJUswBxt4MfTYYAeACGy0tLdkk45v6h/VeSQA/ADcAcTFXyuB8lFZXVnQzuGQeGLLlQvjITXZhbUYfzShyfmT8pRTOHG',
      '2VZUdXgyP5NVgwRIADAgIGDIShBwoUCk0wABiiA2EwgGBQEGV0OGiSdEzcpyTOHZXVlE2XgydZB4UtKTh4ZFZUJnSDKGlHRT0p4+TRWVXZ0D2Y',
      'kndY0JQiOEdoZWVEJ4OSePfee++99957v/fe73Ecx3EcxxGPKYZDR2JVhnQ2SJJyHHmmHE4djdVlSXeDJTmHBJ6COHZEVhL33u+9995777333v',
      'u9937vvffee++9997vvfd777333nvvvfd+773fG4ErqBFg+f3vcZZQ4j4RjBB4QOGqOInnA0ENqPWnr0/v6efp73Q6/Tl9nO6mz6Zf09H0zfRl',
      'upg+mP5L16Wvpc/Sr/Sr9KV0KH0nfZO+pI+kP9KJ9If0QfqPfo9+R8/Rv9HX6GX0YfQveov+ij6KbqJPoh/RQ/Q99B26hn6G/kKv0J/QR+gP+g',
      '36BT2CvoG+QB/QD9D3z/nz9fP5+X0+fX4+h89/z7fn6/np+fO8PH88H573zufOb+fZ+df51Ll0Puj8c76cP84fzn3zu/m2uWy+a/5qnq+5GHrn',
      'yClbMfFoL3HtK8xtSZA/SEfmwn2QQP+IyCO/mOUvJX3FhA6+cQX7D9UAY19BDvtUqj8L+WUij2T+Ahy/NmLBHTl1ZC9x7SvMbYk5NMjBG7RwdK',
      'ALOGGWhKMFIyaOho0cEQ8IPGkBOFWIhdzv',
    ].join(''),
    'base64',
  );

  test('is refused whichever of its bits is another, or means the same', async () => {
    expect(await textOf(whole)).toBe(lines);
    for (let bit = 0; bit < whole.length * 8; bit++) {
      const other = Buffer.from(whole);
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const outcome = await textOf(other).catch((error: unknown) => error);
      if (typeof outcome === 'string') expect(outcome, `bit ${bit}`).toBe(lines);
      else expect(outcome).toMatchObject({ code: expect.stringMatching(/^request\.(?:malformed|too_large)$/) });
    }
  });

  test('takes no more time than a whole one, however it is damaged', async () => {
    const decode = async (bytes: Uint8Array) => await decompress(bytes, 'zstd', bytesMax).catch(() => null);
    const damaged = Array.from({ length: 1000 }, (_, i) => {
      const other = Buffer.from(whole);
      other[20 + ((i * 7) % (whole.length - 30))] = i % 256;
      return other;
    });
    const [ofWhole, ofDamaged] = [
      await processorTime(() => decode(whole)),
      await processorTime(async (i) => decode(damaged[i] ?? whole)),
    ];
    expect(ofDamaged).toBeLessThan(10 * ofWhole + 1000);

    /** Of a thousand times, in milliseconds. */
    async function processorTime(work: (i: number) => Promise<unknown>): Promise<number> {
      const before = process.cpuUsage();
      for (let i = 0; i < 1000; i++) await work(i);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }
  });
});
