import zlib from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compressionOf } from './compressionOf.ts';

it('detects gzip and zstd from their first bytes', () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => compressionOf(zlib.gzipSync(bytes)) === 'gzip'));
  expect(compressionOf(Buffer.from('KLUv/QBojQEAlAJb', 'base64'))).toBe('zstd');
  expect(compressionOf(zlib.gzipSync('').subarray(0, 2))).toBeUndefined();
});

it('never detects compression in a text', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => compressionOf(Buffer.from(text)) === undefined));
});
