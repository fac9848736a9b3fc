import { readdirSync } from 'node:fs';
import { afterEach, expect, it } from 'vitest';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import type { ManifestInMemory } from '../files/manifestInMemory.ts';
import { SealedFile } from '../files/sealedFile.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';
import { beyondBudget, marksOfDropped } from './diskBudget.ts';

function file(number: number, bytes: number, lastMicros: number): SealedFile {
  const source = {
    source: 'edge_logs',
    projects: ['p'],
    firstMicros: [0],
    lastMicros: [lastMicros],
    counts: [1],
    irregular: [],
  };
  return new SealedFile(
    { number, bytes, events: 1, sealedMicros: 0, sources: [source], mergedFrom: [] },
    `/${number}`,
    [],
  );
}

const numbers = (files: readonly SealedFile[]) => files.map(({ number }) => number);
const files = [file(1, 100, 30), file(2, 100, 10), file(3, 100, 20)];

it('drops those whose newest event is the oldest, as many as must go', () => {
  expect(numbers(beyondBudget(files, 50, 350))).toEqual([]);
  expect(numbers(beyondBudget(files, 50, 349))).toEqual([2]);
  expect(numbers(beyondBudget(files, 50, 250))).toEqual([2]);
  expect(numbers(beyondBudget(files, 50, 249))).toEqual([2, 3]);
  expect(numbers(beyondBudget(files, 50, 1))).toEqual([2, 3, 1]);
  expect(numbers(beyondBudget(files, 50, 0))).toEqual([]);
});

it('says from when on nothing is missing, also of projects with rules of their own', () => {
  const rules = new RetentionRules({ days: 0, bySource: new Map() }, [{ source: null, project: 'own', days: 9 }]);
  expect(marksOfDropped([file(2, 100, 10)], new Removals(rules))).toEqual([
    { source: 'edge_logs', project: null, micros: 11 },
    { source: 'edge_logs', project: 'own', micros: 11 },
  ]);
});

let test: TestStorage | undefined;
afterEach(async () => await test?.close());

it('keeps a storage within its budget, oldest events first, and knows after a restart where data begins', async () => {
  const budgetBytes = 3_000_000;
  test = await TestStorage.open({ budgetBytes, mergeFiles: 1000 });
  for (let batch = 0; batch < 5; batch++) {
    const timestampMicros = (1_600_000_000 + batch * 1000) * 1e6;
    const ids = [`${batch}`];
    // Random, so that it does not compress.
    const eventMessage = Array.from({ length: 40_000 }, () => Math.random().toString(36).slice(2)).join('');
    await test.storage.log.append(edgeBatch(ids, { timestampMicros, eventMessage }));
    await test.storage.sealNow();
    await test.storage.mergeNow();
  }
  const dropped = test.observations.flatMap((each) => (each.kind === 'file.dropped' ? [each] : []));
  expect(dropped.length).toBeGreaterThan(0);
  for (const { reason } of dropped) expect(reason).toBe('budget');
  const left = await test.ids();
  expect(left).toEqual(['0', '1', '2', '3', '4'].slice(dropped.length));
  const isWithin = () => {
    const records = readdirSync(test?.eventsDir ?? '').filter((name) => /^sealed-.*duckdb$/.test(name));
    return records.length === left.length;
  };
  await expect.poll(isWithin).toBe(true);
  const begins = () => test?.storage.files.removals.begins('edge_logs', 'p', test.clock.nowMicros());
  expect(begins()).toBe((1_600_000_000 + (dropped.length - 1) * 1000) * 1e6 + 1);
});

it('makes room where a deletion has none to rewrite files in, and counts for it what it concerns', async () => {
  let free = 2 ** 40;
  const readDevice = async () => ({ free, total: 2 ** 41 });
  const settings = { budgetBytes: 2_000_000, freeBytesMin: 0, mergeFiles: 1000, mergeRetryMs: 1 };
  test = await TestStorage.open(settings, builtinSources, readDevice);
  const eventMessage = Array.from({ length: 60_000 }, () => Math.random().toString(36).slice(2)).join('');
  const second = (n: number) => (1_600_000_000 + n) * 1e6;
  const append = async (id: string, project: string, at: number, message = '') => {
    const batch = edgeBatch([id], { project, timestampMicros: second(at), eventMessage: message });
    await test?.storage.log.append(batch);
  };
  for (const at of [1, 2, 3]) await append(`a${at}`, 'a', at);
  await append('b', 'b', 4, eventMessage);
  await test.storage.sealNow();
  await test.storage.mergeNow();
  expect(await test.ids()).toHaveLength(4);
  free = 0;
  await append('c', 'c', 5, eventMessage);
  await append('d', 'd', 6, eventMessage);
  await test.storage.deleteEvents(async (token) => ({
    token,
    project: 'a',
    source: null,
    beforeMicros: second(3),
    requestedMicros: second(9),
  }));
  const dropped = await test.observed('file.dropped');
  expect(dropped).toMatchObject({ reason: 'budget', events: 4 });
  expect((test.manifest as ManifestInMemory).removed.map(({ events }) => events)).toEqual([2]);
  free = 2 ** 40;
});
