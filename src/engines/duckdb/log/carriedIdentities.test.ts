import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

const identity = (key: string) => ({ key, digest: 'd', answer: `{"of":"${key}"}` });
const known = (key: string) => ({ kind: 'duplicate', answer: `{"of":"${key}"}` });

let opened: TestStorage;
afterEach(() => opened.close());

const store = async (key: string) => await opened.storage.log.append(edgeBatch([key], {}, identity(key)));
const recall = async (key: string) => await opened.storage.log.recall(identity(key));

test('a batch is recognised after a restart, however many files were sealed since', async () => {
  opened = await TestStorage.open();
  for (const key of ['first', 'second', 'third']) {
    await store(key);
    await opened.storage.rotateNow();
    await opened.storage.sealNow();
  }
  await store('last');
  await opened.reopen();
  for (const key of ['first', 'second', 'third', 'last']) expect(await recall(key)).toEqual(known(key));
  expect(await store('first')).toEqual(known('first'));
  expect(await opened.ids()).toEqual(['first', 'last', 'second', 'third']);
});

test('a batch is recognised after the file that held it was lost, and after a restart', async () => {
  opened = await TestStorage.open();
  await store('first');
  unlinkSync(join(opened.eventsDir, 'active-1.duckdb'));
  await opened.killEngine();
  await store('second');
  expect(await store('first')).toEqual(known('first'));
  await opened.reopen();
  expect(await recall('first')).toEqual(known('first'));
  expect(await recall('second')).toEqual(known('second'));
});

test('a token that sent too many batches is refused before anything is stored, and others and retries are not', async () => {
  opened = await TestStorage.open({ identityBytesMax: 5_000 });
  const sent: string[] = [];
  const outcome = async (key: string, owner: string) => {
    const batch = { ...edgeBatch([key], {}, identity(key)), owner };
    return await opened.storage.log.append(batch).catch((error: { code: string }) => error.code);
  };
  for (let n = 0; n < 100; n++) {
    const key = `k${100 + n}`;
    const told = await outcome(key, 'many');
    if (told === 'ingest.overloaded') break;
    expect(told).toEqual({ kind: 'stored' });
    sent.push(key);
  }
  expect(sent.length).toBeLessThan(20);
  expect(await outcome('refused', 'many')).toBe('ingest.overloaded');
  expect(await outcome('k100', 'many')).toEqual(known('k100'));
  expect(await outcome('other', 'other')).toEqual({ kind: 'stored' });
  expect(await opened.storage.log.append(edgeBatch(['without']))).toEqual({ kind: 'stored' });
  expect(await opened.ids()).toEqual([...sent, 'other', 'without']);
});

test('a new file holds the batches of the last minutes, and at least the last ones, but no older ones', async () => {
  const minutes = 15;
  opened = await TestStorage.open({ identityAgeMs: minutes * 60_000, identityCountMin: 2 });
  for (const key of ['a', 'b', 'c']) {
    await store(key);
    opened.clock.advanceMs(1);
  }
  const keysIn = async (file: string) => {
    const rows = await opened.values(`SELECT count(*)::INTEGER FROM ${file}.ledger.identities`);
    return rows[0]?.[0];
  };
  await opened.storage.rotateNow();
  expect(await keysIn('active_2')).toBe(3);
  opened.clock.advanceMs((minutes + 1) * 60_000);
  await opened.storage.rotateNow();
  expect(await keysIn('active_3')).toBe(2);
});
