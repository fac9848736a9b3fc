import fc from 'fast-check';
import { expect, it } from 'vitest';
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
