import { expect, it } from 'vitest';
import { ManualClock } from '../../core/clock.ts';
import { createIngestProgress, pace } from './ingestProgress.ts';

it('tells the rate and, of a file, the time left', () => {
  const sent = { accepted: 900, rejected: 100 };
  expect(pace(sent, 0.9, 10, 100)).toBe('');
  expect(pace(sent, 2, 10, undefined)).toBe(', 500 events/s');
  expect(pace(sent, 10, 25, 100)).toBe(', 100 events/s, 30 s left');
  expect(pace(sent, 10, 1, 100)).toBe(', 100 events/s, 17 min left');
  expect(pace(sent, 10, 100, 100)).toBe(', 100 events/s, 0 s left');
});

it('says why it waits, and the same reason once in a row', () => {
  let said = '';
  const progress = createIngestProgress(
    {
      err: (text) => {
        said += text;
      },
      isTerminal: false,
      clock: new ManualClock(0),
    },
    undefined,
    () => 0,
  );
  progress.waits('The disk is full.', 250);
  progress.waits('The disk is full.', 500);
  progress.add({ accepted: 1, rejected: 0 });
  progress.waits('The disk is full.', 2500);
  expect(said).toBe('waiting 1 s: The disk is full.\nwaiting 3 s: The disk is full.\n');
  expect(progress.counts()).toEqual({ accepted: 1, rejected: 0 });
});
