import { expect, it } from 'vitest';
import { noteCutArguments } from './cutNanoseconds.ts';
import type { ResolveSession } from './session.ts';
import type { Notice } from './tree.ts';

function noticesOf(text: string): readonly string[] {
  const notices: Notice[] = [];
  const session = { note: (notice: Notice) => notices.push(notice) } as unknown as ResolveSession;
  const pos = { line: 1, column: 8, offset: 7 };
  noteCutArguments([{ kind: 'literal', type: { kind: 'STRING' }, value: text }], pos, session);
  return notices.map(({ code }) => code);
}

it.each([
  '2026-01-02 03:04:05.1234567',
  '2026-01-02T03:04:05.123456789Z',
  '2026-1-2 3:4:5.000000001+02',
  '03:04:05.1234567',
])('says that %s is cut', (text) => {
  expect(noticesOf(text)).toEqual(['sql.nanoseconds_cut']);
});

it.each(['2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.123456000', '2026-01-02', 'it took 1.1234567'])(
  'says nothing of %s',
  (text) => {
    expect(noticesOf(text)).toEqual([]);
  },
);
