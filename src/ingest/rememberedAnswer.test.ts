import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Rejection, RejectionCode } from './rejection.ts';
import { firstRejections, rememberedAnswer } from './rememberedAnswer.ts';

const codes: readonly RejectionCode[] = ['event.too_old', 'event.malformed', 'event.too_far_ahead'];
const kept = (text: unknown) => JSON.parse(JSON.stringify(text)) as ReturnType<typeof rememberedAnswer>;
const told = ({ index, code }: Rejection) => [index, code];

test('every rejected event is remembered, with its code', () => {
  const gaps = fc.array(fc.tuple(fc.integer({ min: 1, max: 40_000 }), fc.constantFrom(...codes)), { maxLength: 200 });
  fc.assert(
    fc.property(gaps, (given) => {
      let index = -1;
      const rejections = given.map(([gap, code]): Rejection => {
        index += gap;
        return { index, code, message: `event ${index}` };
      });
      const first = kept(rememberedAnswer(1, rejections));
      expect(firstRejections(first, [])?.map(told)).toEqual(rejections.map(told));
      expect(firstRejections(first, rejections)).toEqual(rejections);
    }),
  );
});

test('the largest batch takes little memory, however its bad events lie', () => {
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const rejections: Rejection[] = [];
  for (let index = 0; index < 50_000; index++) {
    const code = codes[Math.floor(random() * codes.length)] ?? 'event.too_old';
    if (random() < 0.5) rejections.push({ index, code, message: 'x'.repeat(200) });
  }
  expect(JSON.stringify(rememberedAnswer(1, rejections)).length).toBeLessThan(30_000);
});

test('what an earlier version of the service remembered in part is not completed', () => {
  const rejection = { index: 3, code: 'event.too_old', message: 'x' } as const;
  const first = { message: 'Logged!', accepted: 1, rejected: [rejection], rejected_total: 30 } as const;
  expect(firstRejections(first, [])).toBeNull();
});
