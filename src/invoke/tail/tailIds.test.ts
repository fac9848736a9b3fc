import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ManualClock } from '../../core/clock.ts';
import { systemRandomness } from '../../core/ids.ts';
import { pageMonthMicros } from '../../ports/pageSecrets.ts';
import { CursorKeys } from '../pages/cursorKeys.ts';
import { MemoryPageSecrets } from '../pages/pages.fixture.ts';
import { resumeMicros, TailIds, wholeEvent } from './tailIds.ts';

const begin = 700 * pageMonthMicros - 60_000_000;
const fixed = (byte: number) => ({ bytes: (count: number) => new Uint8Array(count).fill(byte) });
const hash = Buffer.from([1, 2, 3]);

it('reads back every place for 15 minutes, also with the key of the next month', async () => {
  const clock = new ManualClock(begin);
  const ids = new TailIds(new CursorKeys(new MemoryPageSecrets(), clock, fixed(1), 'tails'), systemRandomness);
  const places = fc.record({
    arrival: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
    row: fc.oneof(fc.integer({ min: 0, max: 0x7f_ff_ff }), fc.constant(wholeEvent)),
  });
  await fc.assert(
    fc.asyncProperty(places, async (place) => {
      clock.setMicros(begin);
      const id = (await ids.writer())(place, hash, begin);
      expect(id).toMatch(/^[\w-]{22}$/);
      clock.setMicros(begin + resumeMicros);
      expect(await ids.read(id, hash, clock.nowMicros())).toEqual(place);
      expect(await ids.read(id, hash, clock.nowMicros() + 1_000_001)).toBe('expired');
      expect(await ids.read(id, Buffer.from([1, 2, 4]), clock.nowMicros())).toBe('unknown');
    }),
    { numRuns: 20 },
  );
});

it('does not know an ID with another bit, of another service, or in another form', async () => {
  const clock = new ManualClock(begin);
  const idsOf = (byte: number) =>
    new TailIds(new CursorKeys(new MemoryPageSecrets(), clock, fixed(byte), 'tails'), systemRandomness);
  const [ids, others] = [idsOf(1), idsOf(2)];
  const id = (await ids.writer())({ arrival: 5, row: 0 }, hash, begin);
  const block = Buffer.from(id, 'base64url');
  for (let bit = 0; bit < 128; bit++) {
    const altered = Buffer.from(block);
    altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    expect(await ids.read(altered.toString('base64url'), hash, begin)).toBe('unknown');
  }
  for (const text of ['', 'x', `${id}=`, ` ${id}`, `${id.slice(0, 21)}B`, id.repeat(1000)]) {
    expect(await ids.read(text, hash, begin)).toBe('unknown');
  }
  expect(await others.read(id, hash, begin)).toBe('unknown');
});

it('does not show by equal IDs that nobody sent an event in between', async () => {
  const clock = new ManualClock(begin);
  const ids = new TailIds(new CursorKeys(new MemoryPageSecrets(), clock, fixed(1), 'tails'), systemRandomness);
  const write = await ids.writer();
  const place = { arrival: 5, row: wholeEvent };
  const written = Array.from({ length: 20 }, () => write(place, hash, begin));
  expect(new Set(written).size).toBe(20);
  for (const id of written) expect(await ids.read(id, hash, begin)).toEqual(place);
});
