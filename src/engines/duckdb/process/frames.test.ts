import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { encodeFrame, FrameReader } from './frames.ts';

it('gives back every frame, however the stream is cut', () => {
  const frame = fc.record({ header: fc.dictionary(fc.string(), fc.string()), parts: fc.array(fc.uint8Array()) });
  fc.assert(
    fc.property(fc.array(frame), fc.integer({ min: 1, max: 40 }), (frames, cut) => {
      const stream = Buffer.concat(frames.flatMap(({ header, parts }) => encodeFrame({ ...header }, parts)));
      const reader = new FrameReader();
      const read = [];
      for (let at = 0; at < stream.length; at += cut) read.push(...reader.push(stream.subarray(at, at + cut)));
      expect(read.map(({ header }) => header)).toEqual(frames.map(({ header }) => JSON.parse(JSON.stringify(header))));
      expect(read.map(({ payload }) => payload.toString('hex'))).toEqual(
        frames.map(({ parts }) => Buffer.concat(parts).toString('hex')),
      );
    }),
  );
});

it('begins the payload at a multiple of eight bytes, so that numbers in a large frame are read without a copy', () => {
  for (const text of ['', 'a', 'ab', 'é', 'abcdefg']) {
    const [head] = encodeFrame({ text }, [Buffer.alloc(100_000)]);
    expect((head?.length ?? 1) % 8).toBe(0);
    const stream = Buffer.concat(encodeFrame({ text }, [Buffer.alloc(100_000)]));
    const reader = new FrameReader();
    const frames = [...reader.push(stream.subarray(0, 1000)), ...reader.push(stream.subarray(1000))];
    expect(frames.map(({ payload }) => payload.byteOffset % 8)).toEqual([0]);
  }
});

it('puts a large frame together while it comes, and reads what stands around it', () => {
  const large = Buffer.alloc(3 * 1024 * 1024, 'abc');
  const frames = [{ n: 1 }, { n: 2 }, { n: 3 }, { n: 4 }].map((header) => ({
    header,
    parts: header.n % 2 === 0 ? [large] : [Buffer.from('small')],
  }));
  const stream = Buffer.concat(frames.flatMap(({ header, parts }) => encodeFrame(header, parts)));
  const joined = vi.spyOn(Buffer, 'concat');
  for (const cut of [65_536, 99_991, stream.length]) {
    const reader = new FrameReader();
    const read = [];
    for (let at = 0; at < stream.length; at += cut) read.push(...reader.push(stream.subarray(at, at + cut)));
    expect(read.map(({ header }) => header)).toEqual(frames.map(({ header }) => header));
    for (const [n, { payload }] of read.entries()) expect(payload.equals(frames[n]?.parts[0] ?? large)).toBe(true);
  }
  for (const [parts] of joined.mock.calls)
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(1024 * 1024);
  joined.mockRestore();
});
