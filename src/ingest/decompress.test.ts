import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decompress, zstdRepeats } from './decompress.fixture.ts';

const text = `[{"project":"p","message":"${'hello zstd '.repeat(30)}"}]`;
const bytes = Buffer.from(text);
const bytesMax = 1024 * 1024;

/** Made by the zstd command from `text`: with its size, from a stream, and from a stream without checksum. */
const zstd = {
  sized: 'KLUv/WRoAI0BAJQCW3sicHJvamVjdCI6InAiLCJtZXNzYWdlIjoiaGVsbG8genN0ZCAifV0BAOaxWp5B/oJ4',
  streamed: 'KLUv/QRYjQEAlAJbeyJwcm9qZWN0IjoicCIsIm1lc3NhZ2UiOiJoZWxsbyB6c3RkICJ9XQEA5rFankH+gng=',
  unchecked: 'KLUv/QBojQEAlAJbeyJwcm9qZWN0IjoicCIsIm1lc3NhZ2UiOiJoZWxsbyB6c3RkICJ9XQEA5rFang==',
} as const;
const zstdOf = (form: keyof typeof zstd) => Buffer.from(zstd[form], 'base64');

const textOf = async (body: Uint8Array, coding: string | undefined) =>
  Buffer.from(await decompress(body, coding, bytesMax)).toString();

describe('every coding gives the body back', () => {
  test.each([
    ['gzip', zlib.gzipSync(bytes)],
    ['GZIP', zlib.gzipSync(bytes)],
    ['x-gzip', zlib.gzipSync(bytes)],
    ['gzip', Buffer.concat([zlib.gzipSync(bytes.subarray(0, 100)), zlib.gzipSync(bytes.subarray(100))])],
    ['deflate', zlib.deflateSync(bytes)],
    ['deflate', zlib.deflateRawSync(bytes)],
    ['br', zlib.brotliCompressSync(bytes)],
    ['zstd', zstdOf('sized')],
    ['zstd', zstdOf('streamed')],
    ['zstd', zstdOf('unchecked')],
    ['zstd', Buffer.concat([Buffer.from([0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]), zstdOf('sized')])],
    [' identity ', bytes],
    ['', bytes],
    [undefined, bytes],
  ])('%s', async (coding, body) => {
    expect(await textOf(body, coding)).toBe(text);
  });

  test('several zstd frames of both forms are one body', async () => {
    expect(await textOf(Buffer.concat([zstdOf('sized'), zstdOf('streamed'), zstdOf('sized')]), 'zstd')).toBe(
      text.repeat(3),
    );
  });

  test.each(['gzip', 'deflate', 'br', 'zstd'])('%s of nothing but its frame is empty', async (coding) => {
    const empty = {
      gzip: zlib.gzipSync(''),
      deflate: zlib.deflateSync(''),
      br: zlib.brotliCompressSync(''),
      zstd: Buffer.from('KLUv/SQAAQAAmenYUQ==', 'base64'),
    };
    expect(await textOf(empty[coding as keyof typeof empty], coding)).toBe('');
  });
});

describe('a body that grows beyond the bound is refused', () => {
  const zeros = Buffer.alloc(64 * 1024 * 1024);

  test.each([
    ['gzip', zlib.gzipSync(zeros)],
    ['deflate', zlib.deflateSync(zeros)],
    ['br', zlib.brotliCompressSync(zeros, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', zstdRepeats(1000, 128 * 1024)],
  ])('%s', async (coding, body) => {
    expect(body.length).toBeLessThan(bytesMax);
    await expect(decompress(body, coding, bytesMax)).rejects.toMatchObject({ code: 'request.too_large', status: 413 });
  });

  test.each([
    ['exactly the bound is taken', 0],
    ['one byte more is not', 1],
  ])('%s', async (_, more) => {
    const body = Buffer.alloc(bytesMax + more, 0x20);
    for (const [coding, sent] of [
      ['identity', body],
      ['gzip', zlib.gzipSync(body)],
      ['br', zlib.brotliCompressSync(body)],
    ] as const) {
      const result = decompress(sent, coding, bytesMax);
      if (more === 0) expect((await result).length).toBe(bytesMax);
      else await expect(result).rejects.toMatchObject({ code: 'request.too_large' });
    }
  });

  test('zstd that declares an enormous size or window takes no memory for it', async () => {
    const declared = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
    await expect(decompress(declared, 'zstd', bytesMax)).rejects.toMatchObject({ code: 'request.too_large' });
    await expect(decompress(zstdRepeats(1, 10, 0xa8), 'zstd', bytesMax)).rejects.toMatchObject({
      code: 'request.malformed',
    });
    await expect(decompress(zstdRepeats(100_001, 1, 0x68), 'zstd', bytesMax)).rejects.toMatchObject({
      code: 'request.malformed',
    });
    expect((await decompress(zstdRepeats(100_000, 1, 0x68), 'zstd', bytesMax)).length).toBe(100_000);
  });
});

describe('a body that does not match its Content-Encoding', () => {
  test.each(['gzip', 'deflate', 'br', 'zstd'])('%s: other bytes, cut bytes, no bytes', async (coding) => {
    const whole = {
      gzip: zlib.gzipSync(bytes),
      deflate: zlib.deflateSync(bytes),
      br: zlib.brotliCompressSync(bytes),
      zstd: zstdOf('streamed'),
    };
    const body = whole[coding as keyof typeof whole];
    for (const bad of [bytes, body.subarray(0, body.length - 5), body.subarray(0, 7), Buffer.alloc(0)]) {
      await expect(decompress(bad, coding, bytesMax)).rejects.toMatchObject({ code: 'request.malformed', status: 400 });
    }
  });

  test.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['deflate', zlib.deflateRawSync],
    ['br', zlib.brotliCompressSync],
  ])('%s with anything after its end, such as a second body that would be lost', async (coding, encode) => {
    const whole = encode(bytes);
    for (const rest of [encode(bytes), Buffer.from('rest'), Buffer.alloc(1)]) {
      // Members of gzip are one body.
      if (coding === 'gzip' && rest.length > 4) continue;
      await expect(decompress(Buffer.concat([whole, rest]), coding, bytesMax)).rejects.toMatchObject({
        code: 'request.malformed',
        status: 400,
      });
    }
  });

  test.each([
    ['gzip', undefined, zlib.gzipSync(bytes)],
    ['gzip', 'identity', zlib.gzipSync(bytes)],
    ['zstd', undefined, zstdOf('streamed')],
  ] as const)('%s that Content-Encoding %s does not tell of', async (coding, contentEncoding, body) => {
    await expect(decompress(body, contentEncoding, bytesMax)).rejects.toMatchObject({
      code: 'request.malformed',
      message: expect.stringContaining(`Content-Encoding: ${coding}`),
    });
  });

  test.each(['compress', 'lz4', 'gzip, br', 'utf-8', 'snappy'])(
    'the coding %s is a 415 that names those allowed',
    async (coding) => {
      await expect(decompress(bytes, coding, bytesMax)).rejects.toMatchObject({
        code: 'request.unsupported_encoding',
        status: 415,
        message: expect.stringContaining('gzip, deflate, br, zstd'),
      });
    },
  );

  test('any bytes give bytes within the bound or a ServiceError, for every coding', async () => {
    const start = fc.constantFrom(
      Buffer.alloc(0),
      zstdOf('sized').subarray(0, 12),
      zstdOf('streamed'),
      zlib.gzipSync(bytes).subarray(0, 30),
    );
    await fc.assert(
      fc.asyncProperty(
        start,
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom('gzip', 'deflate', 'br', 'zstd'),
        async (head, tail, coding) => {
          const result = await decompress(Buffer.concat([head, tail]), coding, 5000).catch((error: unknown) => error);
          if (result instanceof Uint8Array) expect(result.length).toBeLessThanOrEqual(5000);
          else expect(result).toMatchObject({ code: expect.stringMatching(/^request\.(malformed|too_large)$/) });
        },
      ),
      { numRuns: 500 },
    );
  });
});
