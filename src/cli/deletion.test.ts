import { expect, it } from 'vitest';
import { deletionSchema, deletionText } from './deletion.ts';

const told = (state: string, waits_for?: readonly object[]) =>
  deletionText(
    deletionSchema.parse({
      id: 'i',
      project: 'p',
      source: null,
      before: null,
      state,
      ...(waits_for === undefined ? {} : { waits_for }),
      requested_at: '2026-05-20T12:00:00Z',
      completed_at: null,
      removed: { events: 2, bytes: 3 },
    }),
  );

it('says which damaged files a deletion waits for', () => {
  expect(told('complete', [])).toBe('complete: 2 events removed');
  // An older service says nothing of files.
  expect(told('running')).toBe('running: 2 events removed from disk so far');
  const files = [
    { file: 'sealed-3.duckdb', contents: 'known' },
    { file: 'active-4.duckdb', contents: 'unknown' },
  ];
  expect(told('waiting', files)).toBe(
    'waiting: 2 events removed from disk so far; damaged files in events/damaged: sealed-3.duckdb (contains some of the events), active-4.duckdb (may contain some of the events)',
  );
});
