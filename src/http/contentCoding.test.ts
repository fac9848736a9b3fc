import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Turns } from '../core/concurrency/turns.ts';
import { acceptedCodings, contentCodings, encodeBody } from './contentCoding.ts';
import { closeBody } from './openBody.ts';

const body = Buffer.from('{"path":"/rest/v1/users"},'.repeat(100));

const decoders: Readonly<Record<string, (bytes: Buffer) => Uint8Array>> = {
  gzip: (bytes) => zlib.gunzipSync(bytes),
  br: (bytes) => zlib.brotliDecompressSync(bytes),
  zstd: (bytes) => Reflect.get(zlib, 'zstdDecompressSync')(bytes),
};

describe('content codings', () => {
  it('are those that this Node has', () => {
    expect(contentCodings).toEqual(['gzip', 'br', ...(Reflect.has(zlib, 'zstdCompress') ? ['zstd'] : [])]);
  });

  it.each(contentCodings)('%s makes the body shorter and decodes to it', async (name) => {
    const { coding, bytes } = await encodeBody(body, [name], 0, new Turns());
    expect(coding).toBe(name);
    expect(bytes.length).toBeLessThan(body.length / 4);
    expect(Buffer.from(decoders[name]?.(bytes) ?? [])).toEqual(body);
  });

  it('leave a small or empty body unencoded, unless identity is refused', async () => {
    const small = body.subarray(0, 1023);
    expect(await encodeBody(small, ['gzip', 'identity'], 0, new Turns())).toEqual({
      coding: 'identity',
      bytes: small,
      open: null,
    });
    expect((await encodeBody(body.subarray(0, 1024), ['gzip', 'identity'], 0, new Turns())).coding).toBe('gzip');
    expect((await encodeBody(small, ['gzip'], 0, new Turns())).coding).toBe('gzip');
    expect((await encodeBody(Buffer.alloc(0), ['gzip'], 0, new Turns())).coding).toBe('identity');
  });

  it('leave a compressed body unencoded, unless identity is refused', async () => {
    expect((await encodeBody(body, ['gzip', 'identity'], 0, new Turns(), true)).coding).toBe('identity');
    expect((await encodeBody(body, ['gzip'], 0, new Turns(), true)).coding).toBe('gzip');
  });

  it.each(['gzip', 'br'])('%s allows another end', async (name) => {
    const { open } = await encodeBody(body, [name], 10, new Turns());
    if (open === null) throw new Error('there is nothing to be closed');
    const whole = closeBody(open, Buffer.from('another end'));
    expect(decoders[name]?.(whole).toString()).toBe(`${body.subarray(0, -10)}another end`);
  });

  it.each([
    [undefined, ['identity']],
    ['', ['identity']],
    ['gzip;q=0', ['identity']],
    ['br;q=0.3, gzip;q=0.2', ['br', 'gzip', 'identity']],
    ['gzip;q=nonsense', ['identity']],
    ['identity;q=0', []],
    ['*;q=0', []],
    [`${'x,'.repeat(20_000)}gzip`, ['gzip', 'identity']],
  ])('Accept-Encoding %j allows %j', (header, codings) => {
    expect(acceptedCodings(header)).toEqual(codings);
  });
});
