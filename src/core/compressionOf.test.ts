import zlib from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compressionOf } from './compressionOf.ts';

it('knows gzip and zstd by their beginning, whatever is in them', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => compressionOf(zlib.gzipSync(bytes)) === 'gzip'));
  expect(compressionOf(Buffer.from('KLUv/QBojQEAlAJb', 'base64'))).toBe('zstd');
  expect(compressionOf(zlib.gzipSync('').subarray(0, 2))).toBeUndefined();
});

it('takes no text for compressed', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => compressionOf(Buffer.from(text)) === undefined));
});
