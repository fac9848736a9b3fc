import { expect, test } from 'vitest';
import { turnsTaken } from '../../../test/support/turnsTaken.ts';
import { Turns } from '../../core/concurrency/turns.ts';
import type { ColumnOrigins } from '../createRedactor.ts';
import { type RedactionConfig, redactorOf } from '../redactionConfig.ts';
import { redactRows, type ShownRows } from '../redactRows.ts';
import { RedactingThreads } from './redactingThreads.ts';

const config: RedactionConfig = {
  detectors: ['phone'],
  patterns: [{ name: 'order', pattern: 'order-[0-9]+' }],
  fields: ['nickname'],
  pseudonymKey: 'a key of the operator',
};
const origins: ColumnOrigins = new Map([
  ['who', { paths: [['metadata', 'user_email']], ownNames: 0, isGiven: false, isRead: false }],
  ['text', { paths: [], ownNames: 0, isGiven: false, isRead: false }],
]);
const never = new AbortController().signal;

function rowsOf(count: number, text: string): Buffer {
  const row = (n: number) =>
    JSON.stringify({ who: `user ${n}`, text: `${n} ${text}`, nickname: 'jd', order: 'order-77' });
  return Buffer.from(Array.from({ length: count }, (_, n) => row(n)).join(','));
}

const shownAs = ({ rows, counts }: ShownRows) => ({ rows: Buffer.from(rows).toString(), counts });

test('give what redaction on the thread that asks gives, small results and large ones, many at a time', async () => {
  const threads = new RedactingThreads(config, new Turns());
  const results = [
    rowsOf(100, 'from 203.0.113.7'),
    rowsOf(12_000, 'to jane@example.com or +1 212 555 0142'),
    rowsOf(0, ''),
  ];
  const all = await Promise.all(
    [...results, ...results].map((rows, n) =>
      threads.redact(`token ${n % 2}`, rows, origins, new AbortController().signal),
    ),
  );
  expect(results[1]?.byteLength).toBeGreaterThan(1024 * 1024);
  for (const [n, shown] of all.entries()) {
    const here = redactRows(results[n % 3] ?? Buffer.alloc(0), origins, redactorOf(config));
    expect(shownAs(shown)).toEqual(shownAs(here));
  }
});

test('hold up nobody while a long text is redacted', async () => {
  const threads = new RedactingThreads(config, new Turns());
  await threads.redact('a', rowsOf(1, ''), origins, never);
  const long = rowsOf(1, '203.0.113.7 '.repeat(80_000));
  const turns = await turnsTaken(() => threads.redact('a', long, origins, never));
  // On the thread that asks it is one turn or two.
  expect(turns).toBeGreaterThan(20);
});

test('end what was given up, at work or in line, and go on with the others', async () => {
  const threads = new RedactingThreads(config, new Turns());
  const givenUp = new AbortController();
  const long = rowsOf(30_000, '203.0.113.7 '.repeat(100));
  const atWork = threads.redact('a', long, origins, givenUp.signal);
  const inLine = threads.redact('a', long, origins, givenUp.signal);
  const settled = Promise.allSettled([atWork, inLine]);
  const other = threads.redact('b', rowsOf(9000, 'from 203.0.113.7 to jane@example.com'), origins, never);
  givenUp.abort(new Error('given up'));
  expect((await settled).map((each) => each.status === 'rejected' && String(each.reason))).toEqual([
    'Error: given up',
    'Error: given up',
  ]);
  expect((await other).counts).toMatchObject({ email: 18_000 });
});

test('say so where what was sent is no rows, and go on', async () => {
  const threads = new RedactingThreads(config, new Turns());
  await expect(threads.redact('a', Buffer.from('{"a":'), origins, never)).rejects.toThrow('not JSON');
  expect((await threads.redact('a', rowsOf(1, 'x'), origins, never)).counts).toMatchObject({ email: 1 });
});
