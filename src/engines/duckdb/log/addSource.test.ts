import { afterEach, expect, test } from 'vitest';
import type { EventBatch } from '../../../ports/eventLog.ts';
import { sourceOf } from '../../../sources/sourceDeclaration.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

const added = sourceOf({ name: 'added_logs', projectField: { kind: 'column' }, description: '' });
const batch: EventBatch = {
  source: added.name,
  identity: null,
  events: edgeBatch(['one']).events.map((event) => ({ ...event, hot: [null] })),
};

let opened: TestStorage;
afterEach(() => opened.close());

function countOf(source: string): number {
  const lease = opened.storage.files.lease();
  lease.release();
  return lease.files.reduce((sum, file) => sum + (file.stats(source, null)?.count ?? 0), 0);
}

/** Of the files that statements may read now, those without a table of the source. */
function withoutTable(): number {
  const lease = opened.storage.files.lease();
  lease.release();
  return lease.files.filter((file) => !file.hasTable(added.name)).length;
}

test('events of a source can be appended when it was added, be it twice, and after the engine ended', async () => {
  opened = await TestStorage.open();
  await expect(opened.storage.log.append(batch)).rejects.toThrow();
  await opened.storage.addSource(added);
  await opened.storage.addSource(added);
  expect(await opened.storage.log.append(batch)).toEqual({ kind: 'stored' });
  await opened.killEngine();
  expect(await opened.storage.log.append(batch)).toEqual({ kind: 'stored' });
  await opened.storage.sealNow();
  expect(countOf(added.name)).toBe(2);
});

test('files from before a source was added are known not to have its table', async () => {
  opened = await TestStorage.open();
  await opened.storage.log.append(edgeBatch(['before']));
  const lease = opened.storage.files.lease();
  await opened.storage.addSource(added);
  expect(lease.files.map((file) => file.hasTable(added.name))).toEqual([false]);
  lease.release();
  await opened.storage.sealNow();
  await opened.storage.log.append(edgeBatch(['after']));
  expect([countOf('edge_logs'), withoutTable()]).toEqual([2, 1]);
});

test('a source is not added where one more file to be sealed would keep events out', async () => {
  opened = await TestStorage.open({ frozenFilesMax: 1 });
  await expect(opened.storage.addSource(added)).rejects.toMatchObject({ code: 'ingest.overloaded' });
  expect(await opened.storage.log.append(edgeBatch(['kept']))).toEqual({ kind: 'stored' });
  await expect(opened.storage.log.append(batch)).rejects.toThrow();
});
