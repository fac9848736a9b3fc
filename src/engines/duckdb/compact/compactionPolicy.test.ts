import { describe, expect, it } from 'vitest';
import { type CompactionCandidate, chooseCompaction } from './compactionPolicy.ts';

const bounds = { mergeFiles: 4, mergeEventsMax: 8_000_000, mergeBytesMax: 2 ** 31 };
const bytesPerEvent = 220;

const file = (lastMicros: number, events: number, bytes = events * bytesPerEvent): CompactionCandidate => ({
  events,
  bytes,
  lastMicros,
});
const files = (...events: readonly number[]) => events.map((count, at) => file(at, count));
const chosen = (all: readonly CompactionCandidate[]) =>
  chooseCompaction(all, bounds)?.map(({ lastMicros }) => lastMicros) ?? null;

describe('chooseCompaction', () => {
  it('waits until there are enough files of one size', () => {
    expect(chosen([])).toBeNull();
    expect(chosen(files(140_000, 140_000, 140_000))).toBeNull();
    expect(chosen(files(140_000, 140_000, 140_000, 140_000))).toEqual([0, 1, 2, 3]);
  });

  it('takes neighbours in time, in whatever order the files are given', () => {
    expect(chosen(files(140_000, 140_000, 140_000, 140_000, 140_000).toReversed())).toEqual([0, 1, 2, 3]);
  });

  it('does not rewrite a large file for the sake of small ones', () => {
    expect(chosen(files(2_000_000, 140_000, 140_000, 140_000))).toBeNull();
    expect(chosen(files(2_000_000, 140_000, 140_000, 140_000, 140_000))).toEqual([1, 2, 3, 4]);
  });

  it('takes smaller files between those of a size along', () => {
    expect(chosen(files(560_000, 140_000, 560_000, 560_000, 560_000))).toEqual([0, 1, 2, 3, 4]);
  });

  it('prefers the smallest size', () => {
    const all = files(560_000, 560_000, 560_000, 560_000, 140_000, 140_000, 140_000, 140_000);
    expect(chosen(all)).toEqual([4, 5, 6, 7]);
  });

  it('leaves files that are large enough, and merges across none of them', () => {
    expect(chosen(files(4_000_000, 4_000_000, 4_000_000, 4_000_000))).toBeNull();
    expect(chosen(files(140_000, 140_000, 4_000_000, 140_000, 140_000))).toBeNull();
    const heavy = file(2, 1_000, bounds.mergeBytesMax / 2);
    expect(chosen([file(0, 900), file(1, 900), heavy, file(3, 900), file(4, 900)])).toBeNull();
  });

  it('merges fewer files where more would pass the bounds', () => {
    expect(chosen(files(2_200_000, 2_200_000, 2_200_000, 2_200_000))).toEqual([0, 1, 2]);
    expect(chosen(files(2_200_000, 2_200_000))).toEqual([0, 1]);
    expect(chosen(files(1_500_000, 1_500_000))).toBeNull();
  });

  it.each([100, 3_000, 140_000, 500_000])(
    'leaves few files of rotations of %i events, and rewrites each event a few times',
    (size) => {
      let all: readonly CompactionCandidate[] = [];
      let rewritten = 0;
      const rotations = Math.min(400, Math.ceil(20_000_000 / size));
      for (let rotation = 0; rotation < rotations; rotation++) {
        all = [...all, file(rotation, size)];
        for (let run = chooseCompaction(all, bounds); run !== null; run = chooseCompaction(all, bounds)) {
          const [last] = run.slice(-1);
          const events = run.reduce((sum, each) => sum + each.events, 0);
          rewritten += events;
          expect(events).toBeLessThanOrEqual(bounds.mergeEventsMax);
          const inputs = new Set(run);
          all = [...all.filter((each) => !inputs.has(each)), file(last?.lastMicros ?? 0, events)];
        }
      }
      expect(all.reduce((sum, { events }) => sum + events, 0)).toBe(rotations * size);
      const large = Math.ceil((rotations * size) / (bounds.mergeEventsMax / 2));
      expect(all.length).toBeLessThanOrEqual(large + 3 * 4);
      // Segments below the smallest tier are merged repeatedly, which at their size costs nothing.
      if (size >= 65_536) expect(rewritten / (rotations * size)).toBeLessThanOrEqual(4);
    },
  );
});
