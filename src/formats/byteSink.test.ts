import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ByteSink } from './byteSink.ts';

const bytes = fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(new Uint8Array(20_000).fill(7)));
const step = fc.oneof(
  bytes.map((given) => ({ kind: 'append' as const, given })),
  bytes.map((given) => ({ kind: 'adopt' as const, given })),
  fc.nat({ max: 255 }).map((byte) => ({ kind: 'push' as const, given: Uint8Array.of(byte) })),
  fc.constant({ kind: 'take' as const, given: new Uint8Array() }),
);

it('hands over all bytes in order, copied or not', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.nat({ max: 30_000 }), (steps, firstBytes) => {
      const sink = new ByteSink(firstBytes);
      const taken: Uint8Array[] = [];
      let takenCount = 0;
      let count = 0;
      for (const { kind, given } of steps) {
        if (kind === 'append') sink.append(given);
        else if (kind === 'adopt') sink.adopt(given);
        else if (kind === 'push') sink.push(given[0] ?? 0);
        else {
          taken.push(...sink.take());
          takenCount = count;
        }
        count += given.length;
        expect(sink.length).toBe(count - takenCount);
      }
      taken.push(...sink.take());
      expect(Buffer.concat(taken).equals(Buffer.concat(steps.map(({ given }) => given)))).toBe(true);
    }),
  );
});

it('does not copy what it adopts', () => {
  const sink = new ByteSink();
  sink.append(Uint8Array.of(1));
  const adopted = Uint8Array.of(2, 3);
  sink.adopt(adopted);
  sink.append(Uint8Array.of(4));
  const [first, second, third] = sink.take();
  expect([first, third].map((part) => [...(part ?? [])])).toEqual([[1], [4]]);
  expect(second?.buffer).toBe(adopted.buffer);
});
