import { expect, test } from 'vitest';
import { ManualClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { createRedactor } from '../redact/createRedactor.ts';
import type { RedactionCounts } from '../redact/redactionCounts.ts';
import { call, good, setUp } from './ingest.fixture.ts';
import { RejectedEvents } from './rejectedEvents.ts';
import { rejected } from './rejection.ts';

const address = 'jane.longname@example.com';

test.each([
  ['an event that is text', (text: string) => text],
  ['metadata that is text', (text: string) => ({ ...good, metadata: text })],
  ['a time', (text: string) => ({ ...good, timestamp: text })],
  ['an ID', (text: string) => ({ ...good, id: `${text}${'x'.repeat(200)}` })],
])('shows no part of an address in %s, wherever the message cuts it', async (_what, eventOf) => {
  for (let before = 30; before < 60; before += 3) {
    const rejectedEvents = new RejectedEvents({
      redactor: createRedactor(),
      clock: new ManualClock(1),
    });
    const { ingest } = setUp({ rejectedEvents });
    const text = `${'"'.repeat(5)}${'-'.repeat(before - 6)} ${address} and more than sixty characters`;
    await ingest.acceptEach(call([eventOf(text), good]));
    const [rejected] = await rejectedEvents.of('edge_logs', new Turns());
    expect(rejected?.count).toBe(1);
    expect(JSON.stringify(rejected)).not.toContain('jane');
  }
});

test('redacts a sample when somebody reads it, because ingestion would wait for that', async () => {
  const redactor = createRedactor();
  const redacted: string[] = [];
  const counting = Object.create(redactor, {
    redactGiven: {
      value: (text: string, counts: RedactionCounts) => {
        redacted.push(text);
        return redactor.redactGiven(text, counts);
      },
    },
  });
  const rejectedEvents = new RejectedEvents({ redactor: counting, clock: new ManualClock(1) });
  const { ingest } = setUp({ rejectedEvents });
  await ingest.acceptEach(call([{ ...good, timestamp: address }]));
  expect(redacted).toEqual([]);
  expect(JSON.stringify(await rejectedEvents.of('edge_logs', new Turns()))).not.toContain('jane');
  expect(redacted).not.toEqual([]);
});

test('counts an event with a number that JSON cannot express, without a sample of it', async () => {
  const rejectedEvents = new RejectedEvents({
    redactor: createRedactor(),
    clock: new ManualClock(1),
  });
  rejectedEvents.add('edge_logs', rejected('event.malformed', 'a message'), { metadata: [Number.POSITIVE_INFINITY] });
  expect(await rejectedEvents.of('edge_logs', new Turns())).toMatchObject([{ count: 1, event: null }]);
});
