import { expect, test } from 'vitest';
import { Turns } from '../../core/concurrency/turns.ts';
import { webhookOf } from './webhook.fixture.ts';
import { webhookProtocol } from './webhookProtocol.ts';

const webhook = webhookOf({
  mapping: { events: ['data', 'items'], time: ['data', 'at'], message: null, id: null },
});
const limits = { eventsMax: 10, eventBytesMax: 300, expandedBytesMax: 10_000 };
// The escape makes our own reader read it.
const decode = (data: string) =>
  webhookProtocol(webhook)('application/json').decode(
    Buffer.from(`{"x":"\\ud83d\\ude00","data":${data}}`),
    limits,
    new Turns(),
  );

test('members of a delivery that its events need are read beside large ones', async () => {
  const large = `[${'1,'.repeat(500)}1]`;
  const { events } = await decode(
    `{"large":${large},"items":[{"a":1},{"b":${large}}],"more":${large},"at":1795780800}`,
  );
  expect(events).toMatchObject([
    { value: { timestamp: 1795780800, metadata: { a: 1 } } },
    { value: { timestamp: 1795780800 } },
  ]);
});

test('a delivery is refused if what its events need may be among members that are not read', async () => {
  const many = Array.from({ length: 100 }, (_, n) => `"m${n}":1`).join();
  await expect(decode(`{${many},"at":1795780800,"items":[{"a":1}]}`)).rejects.toMatchObject({
    code: 'request.malformed',
    message: expect.stringContaining('too many members'),
  });
});
