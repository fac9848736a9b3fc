import { afterEach, expect, it } from 'vitest';
import type { StoredEvent } from '../../../ports/eventLog.ts';
import { TestStorage } from '../storage.fixture.ts';

const mebibyte = 1024 * 1024;

let test: TestStorage | undefined;
afterEach(async () => await test?.close());

const events = (count: number, messageChars: number): readonly StoredEvent[] =>
  Array.from({ length: count }, (_, n) => ({
    id: `${messageChars}-${n}`,
    timestampMicros: 1_777_629_630_000_000 + n,
    project: 'p',
    eventMessage: String(n).padEnd(messageChars, 'x'),
    metadata: null,
    hot: [],
    irregular: [],
  }));

it('refuses a batch for which the engine has no memory, stores nothing of it, and takes the next one', async () => {
  test = await TestStorage.open({ memoryBytesMax: 12 * mebibyte, spillBytesMax: mebibyte, memoryWaitMs: 1 });
  const { log } = test.storage;
  const send = async (count: number, messageChars: number) =>
    await log.append({ source: 'rest_api_logs', events: events(count, messageChars), identity: null });
  expect(await send(10, 10)).toEqual({ kind: 'stored' });
  await expect(send(160, 100_000)).rejects.toMatchObject({
    code: 'ingest.overloaded',
    status: 503,
    retryAfterSeconds: 1,
    cause: expect.objectContaining({ failure: expect.objectContaining({ kind: 'memory' }) }),
  });
  expect((await test.read('rest_api_logs')).length).toBe(10);
  expect(await send(20, 20)).toEqual({ kind: 'stored' });
  expect((await test.read('rest_api_logs')).length).toBe(30);
});
