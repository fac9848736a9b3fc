import { expect, it } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import type { EventCopies } from '../ports/eventCopies.ts';
import { copyEvents } from './copyEvents.ts';

function emptyStore(ends: readonly number[]): { readonly copies: EventCopies; readonly finished: number[] } {
  const finished: number[] = [];
  let asked = 0;
  const copies: EventCopies = {
    isDamaged: false,
    end: async () => ends[Math.min(asked++, ends.length - 1)] ?? 0,
    next: async () => null,
    last: async () => null,
    read: async function* () {},
    unnumbered: async () => null,
    days: async () => [],
    contents: async () => new Map(),
    resume: async () => -1,
    write: async () => {},
    identities: async function* () {},
    remember: async () => {},
    finish: async (end) => {
      finished.push(end);
    },
  };
  return { copies, finished };
}

it('does not end a copy if a service stored events in the source meanwhile', async () => {
  const into = emptyStore([0]);
  const copy = (ends: readonly number[]) =>
    copyEvents({ from: emptyStore(ends).copies, into: into.copies, sources: [], clock: new ManualClock(0) });
  await expect(copy([3, 4])).rejects.toThrow('stored events in the source');
  expect(into.finished).toEqual([]);
  expect(await copy([3])).toEqual({ copied: 0, equal: 0 });
  expect(into.finished).toEqual([3]);
});
