import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { ManifestInMemory } from '../files/manifestInMemory.ts';
import { edgeBatch, TestStorage } from '../storage.fixture.ts';

/** A manifest that fails after a change is durable, and cannot be read at once. */
class FailingManifest extends ManifestInMemory {
  isFailing = false;
  failures = 0;
  #isUnreadable = false;

  override async commit(...change: Parameters<ManifestInMemory['commit']>) {
    await super.commit(...change);
    if (!this.isFailing) return;
    this.failures++;
    this.#isUnreadable = true;
    throw new Error('the disk failed after the commit');
  }

  override async load() {
    this.#refuseOnce();
    return await super.load();
  }

  override async loadDropped() {
    this.#refuseOnce();
    return await super.loadDropped();
  }

  #refuseOnce(): void {
    if (!this.#isUnreadable) return;
    this.#isUnreadable = false;
    throw new Error('the disk cannot be read');
  }
}

it('keeps each event once, and counts what is deleted once, where changes of files fail when they are durable', async () => {
  const manifest = new FailingManifest();
  const removals = new Removals(new RetentionRules({ days: 0, bySource: new Map() }));
  const done: number[] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'logmill-unknown-'));
  const test = new TestStorage(dataDir, { mergeFiles: 2, mergeRetryMs: 1 }, builtinSources, manifest);
  test.given = {
    removals,
    deletionDone: async ({ token }) => {
      done.push(token);
    },
  };
  await test.reopen();
  manifest.isFailing = true;
  const kept = (n: number) => [`kept${n}a`, `kept${n}b`];
  // Sealed one after another, and merged.
  for (const n of [0, 1]) {
    await test.storage.log.append(edgeBatch(kept(n), { project: 'kept' }));
    await test.storage.log.append(edgeBatch([`gone${n}`], { project: 'gone' }));
    await test.storage.sealNow();
  }
  await test.storage.mergeNow();
  const all = [...kept(0), ...kept(1)];
  expect(await test.ids()).toEqual(['gone0', 'gone1', ...all]);
  expect((await manifest.load()).map(({ events }) => events)).toEqual([6]);
  // Rewritten, and one dropped.
  const { token } = await test.storage.deleteEvents(async (each) => ({
    token: each,
    project: 'gone',
    source: null,
    beforeMicros: null,
    requestedMicros: 0,
  }));
  await test.storage.removeNow();
  await expect.poll(() => done).toEqual([token]);
  expect(await test.ids()).toEqual(all);
  expect(manifest.removed.reduce((sum, { events }) => sum + events, 0)).toBe(2);
  await test.storage.log.append(edgeBatch(['dropped'], { project: 'kept' }));
  await test.storage.sealNow();
  const numbers = (await manifest.load()).map(({ number }) => number);
  expect(await test.storage.dropSealed(numbers.slice(-1))).toEqual(numbers.slice(-1));
  expect(manifest.failures).toBeGreaterThanOrEqual(5);
  manifest.isFailing = false;
  const shown = await test.ids();
  await test.reopen();
  expect(await test.ids()).toEqual(shown);
  expect(test.observations.filter(({ kind }) => kind === 'file.damaged')).toEqual([]);
  await test.close();
});
