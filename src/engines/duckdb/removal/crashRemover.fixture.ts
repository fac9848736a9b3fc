import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../core/clock.ts';
import { ServiceError } from '../../../core/errors.ts';
import { systemRandomness, uuidV4 } from '../../../core/ids.ts';
import { Removals } from '../../../retention/removals.ts';
import { RetentionRules } from '../../../retention/retentionRules.ts';
import { builtinSources } from '../../../sources/builtin.ts';
import { SqlDeletionStore } from '../../../stores/sql/sqlDeletionStore.ts';
import { openDatabase } from '../../../stores/sqlite/database.ts';
import { SqliteFileManifest } from '../../../stores/sqlite/sqliteFileManifest.ts';
import { openDuckDbStorage } from '../openDuckDbStorage.ts';
import { edgeBatch } from '../storage.fixture.ts';

/**
 * Appends batches of five events to the projects `kept` and `gone`, repeatedly deletes those of `gone`, and prints what
 * was acknowledged, until it is killed: `kept 1.7`, `gone 1.7`, `deleted`.
 */
const [dataDir = '', run = ''] = process.argv.slice(2);
const database = await openDatabase(dataDir);
const deletions = new SqlDeletionStore(database);
const all = await deletions.load();
const storage = await openDuckDbStorage({
  dataDir,
  clock: systemClock,
  randomness: systemRandomness,
  observe: () => {},
  sources: builtinSources,
  manifest: new SqliteFileManifest(database),
  removals: new Removals(new RetentionRules({ days: 0, bySource: new Map() }), all),
  openDeletions: all.filter(({ completedMicros }) => completedMicros === null),
  deletionDone: ({ token }) => deletions.complete(token, systemClock.nowMicros()),
  settings: { rotateEvents: 20, mergeFiles: 2, mergeRetryMs: 1 },
});

/** Retries while segments wait to be sealed; nothing was done then. */
async function insist(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch (error) {
      if (!(error instanceof ServiceError && error.code === 'ingest.overloaded')) throw error;
    }
    await delay(5);
  }
}

for (let n = 0; ; n++) {
  for (const project of ['kept', 'gone']) {
    const batch = edgeBatch(
      [0, 1, 2, 3, 4].map((event) => `${project} ${run}.${n}/${event}`),
      { project },
    );
    await insist(() => storage.log.append(batch));
    writeSync(1, `${project} ${run}.${n}\n`);
  }
  if (n % 3 !== 2) continue;
  await insist(() =>
    storage.deleteEvents(async (token) => {
      const requestedMicros = systemClock.nowMicros();
      const what = { token, project: 'gone', source: null, beforeMicros: null, requestedMicros };
      await deletions.add({ ...what, id: uuidV4(systemRandomness), requestedBy: 'test' });
      return what;
    }),
  );
  writeSync(1, 'deleted\n');
}
