import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SqliteError } from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasClickHouse } from '../../test/clickhouse/startClickHouse.ts';
import { sharedClickHouse } from '../../test/engines/clickhouse/clickhouseEngine.ts';
import { type FreshSchema, freshSchema, hasPostgres } from '../../test/support/postgresStores.ts';
import { systemClock } from '../core/clock.ts';
import { Turns } from '../core/concurrency/turns.ts';
import { ServiceError } from '../core/errors.ts';
import { systemRandomness } from '../core/ids.ts';
import type { StorageEngine } from '../ports/storageEngine.ts';
import { builtinSources } from '../sources/builtin.ts';
import type { Source } from '../sources/source.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlRetentionStore } from '../stores/sql/sqlRetentionStore.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import { tokenRecord } from '../stores/sql/tokenRecord.fixture.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { storeError } from '../stores/sqlite/storeError.ts';
import { storesOver } from './definitionStores.ts';
import { lockFolder } from './folderLock.ts';
import { loadRemovals } from './loadRemovals.ts';
import { migrateDefinitions } from './migrateDefinitions.ts';
import { abandonEventCopy, type EventTarget, migrateEvents } from './migrateEvents.ts';
import { openEngine } from './openEngine.ts';
import { readSettings } from './readSettings.ts';
import type { Settings } from './settings.ts';

const [source] = builtinSources as readonly [Source];
const batch = (...ids: readonly string[]) => ({
  source: source.name,
  identity: null,
  events: ids.map((id) => ({
    id,
    timestampMicros: systemClock.nowMicros(),
    project: 'p',
    eventMessage: id,
    metadata: null,
    hot: source.hotColumns.map(() => null),
    irregular: [],
  })),
});

describe.skipIf(!hasClickHouse)('moving events between the data folder and ClickHouse', () => {
  const folders: string[] = [];
  let server: Awaited<ReturnType<typeof sharedClickHouse>>;
  beforeAll(async () => {
    server = await sharedClickHouse();
  });
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true });
  });

  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'logmill-migrate-'));
    folders.push(folder);
    return folder;
  };
  const settingsOf = (folder: string, database: string, store?: string): Settings =>
    readSettings({
      environment: {
        LOGMILL_DATA_DIR: folder,
        LOGMILL_CLICKHOUSE_URL: server.url,
        LOGMILL_CLICKHOUSE_DATABASE: database,
        LOGMILL_CLICKHOUSE_USER: server.user,
        LOGMILL_CLICKHOUSE_READER_USER: server.user,
        ...(server.password === ''
          ? {}
          : { LOGMILL_CLICKHOUSE_PASSWORD: server.password, LOGMILL_CLICKHOUSE_READER_PASSWORD: server.password }),
        ...(store === undefined ? {} : { LOGMILL_STORE: store }),
      },
      flags: {},
    }).settings;

  /** Uses the events as a service with the store in the folder would. */
  async function using<T>(
    settings: Settings,
    events: Settings['events'],
    use: (engine: StorageEngine, database: StoreDatabase) => Promise<T>,
  ) {
    const database = await openDatabase(settings.dataDir);
    try {
      const { retention, deletions } = storesOver(database);
      const engine = await openEngine({
        settings: { ...settings, events },
        clock: systemClock,
        randomness: systemRandomness,
        observe: () => undefined,
        turns: new Turns(),
        database,
        shared: null,
        sources: [source],
        stored: await loadRemovals(settings, retention, deletions, systemClock),
        followRemovals: async () => undefined,
      });
      try {
        return await use(engine, database);
      } finally {
        await engine.close();
      }
    } finally {
      await database.destroy();
    }
  }

  const idsOf = async ({ copies }: StorageEngine) => {
    const ids: string[] = [];
    for await (const page of copies?.read(source, { after: -1, to: Number.MAX_SAFE_INTEGER }) ?? []) {
      ids.push(...page.map(({ id }) => id));
    }
    return ids;
  };

  const move = async (settings: Settings, target: EventTarget, progress: () => void = () => undefined) =>
    await migrateEvents({
      settings,
      target,
      clock: systemClock,
      randomness: systemRandomness,
      observe: () => undefined,
      progress,
    });

  it('takes them there and back, and lets no service use a part of them', async () => {
    const settings = settingsOf(newFolder(), await server.createDatabase());
    await using(settings, 'embedded', async ({ log }) => {
      await log.append(batch('a', 'b'));
    });
    const lock = lockFolder(settings.dataDir, 1);
    await expect(move(settings, 'clickhouse')).rejects.toThrow('in use');
    lock.release();
    const end = () => {
      throw new Error('interrupted');
    };
    await expect(move(settings, 'clickhouse', end)).rejects.toThrow('interrupted');
    await expect(using(settings, 'clickhouse', idsOf)).rejects.toThrow('the copy is unfinished');
    expect(await move(settings, 'clickhouse')).toEqual({ copied: 2, equal: 2 });
    await using(settings, 'clickhouse', async (engine) => {
      expect(await idsOf(engine)).toEqual(['a', 'b']);
      await engine.log.append(batch('c'));
    });
    // Now the folder is the earlier state.
    await expect(move(settings, 'clickhouse')).rejects.toThrow('Nothing was changed: the target holds other events');
    expect(await move(settings, 'folder')).toEqual({ copied: 1, equal: 3 });
    expect(await using(settings, 'embedded', idsOf)).toEqual(['a', 'b', 'c']);
  });

  it('says which disk is full, how much was copied, and that the same command continues', async () => {
    const settings = settingsOf(newFolder(), await server.createDatabase());
    await using(settings, 'clickhouse', async ({ log }) => {
      await log.append(batch('a', 'b'));
    });
    const full = { ...settings, diskFreeMin: Number.MAX_SAFE_INTEGER };
    await expect(move(full, 'folder')).rejects.toThrow(
      `The copy has stopped: the disk of the data folder ${settings.dataDir} is full, or has less free space than LOGMILL_DISK_FREE_MIN keeps free. No event was copied. Free some space and run the same command again to continue.`,
    );
    const filled = () => {
      throw storeError(new SqliteError('database or disk is full', 'SQLITE_FULL', 13));
    };
    await expect(move(settings, 'folder', filled)).rejects.toThrow(
      `The copy has stopped: the disk of the data folder ${settings.dataDir} is full. 2 events were copied by this run. Free some space and run the same command again to continue.`,
    );
    // Not in words for senders.
    const late = () => {
      throw new ServiceError('ingest.overloaded', 'Send it again in a few seconds.');
    };
    await expect(move(settings, 'folder', late)).rejects.toThrow(
      'The copy has stopped: the data folder did not store the events in time. No event was copied. Run the same command again to continue.',
    );
    expect(await move(settings, 'folder')).toEqual({ copied: 0, equal: 2 });
    expect(await using(settings, 'embedded', idsOf)).toEqual(['a', 'b']);
  });

  it('takes the identities of batches along, so that a retry after the move is not stored again', async () => {
    const settings = settingsOf(newFolder(), await server.createDatabase());
    const identified = (id: string) => ({
      ...batch(id),
      identity: { key: id, digest: 'd', answer: `answer of ${id}` },
    });
    const repeated = (id: string) => ({ kind: 'duplicate', answer: `answer of ${id}` });
    await using(settings, 'embedded', async ({ log }) => {
      await log.append(identified('a'));
      await log.append({ ...identified('empty'), events: [] });
    });
    await move(settings, 'clickhouse');
    await using(settings, 'clickhouse', async ({ log }) => {
      expect(await log.append(identified('a'))).toEqual(repeated('a'));
      expect(await log.append(identified('empty'))).toEqual(repeated('empty'));
      expect(await log.append({ ...identified('a'), identity: { key: 'a', digest: 'other', answer: '' } })).toEqual({
        kind: 'conflict',
      });
      await log.append(identified('b'));
    });
    await move(settings, 'folder');
    // Also when it is repeated, and when the folder is opened again.
    await move(settings, 'folder');
    await using(settings, 'embedded', async (engine) => {
      for (const id of ['a', 'empty', 'b']) expect(await engine.log.append(identified(id))).toEqual(repeated(id));
      expect(await idsOf(engine)).toEqual(['a', 'b']);
    });
  });

  it('can be given up, which changes no events and lets services start', async () => {
    const settings = settingsOf(newFolder(), await server.createDatabase());
    await using(settings, 'embedded', async ({ log }) => {
      await log.append(batch('a', 'b'));
    });
    const giveUp = async () => await abandonEventCopy({ settings, clock: systemClock }, 'clickhouse');
    await expect(giveUp()).rejects.toThrow('no copy of events to clickhouse has begun');
    const end = () => {
      throw new Error('interrupted');
    };
    await expect(move(settings, 'clickhouse', end)).rejects.toThrow('interrupted');
    await expect(using(settings, 'clickhouse', idsOf)).rejects.toThrow('--events-to clickhouse --abandon');
    expect(await giveUp()).toMatchObject({ origin: expect.stringContaining('the data folder ') });
    expect(await using(settings, 'clickhouse', idsOf)).toEqual(['a', 'b']);
    expect(await using(settings, 'embedded', idsOf)).toEqual(['a', 'b']);
  });

  it.skipIf(!hasPostgres)(
    'follows definitions to PostgreSQL, and leaves behind what rules and deletions remove',
    async () => {
      const schema: FreshSchema = await freshSchema();
      try {
        const settings = settingsOf(newFolder(), await server.createDatabase(), schema.url);
        const deleteAll = async ({ deleteEvents }: StorageEngine, database: StoreDatabase, id: string) => {
          const requestedMicros = systemClock.nowMicros();
          const asked = { project: 'p', source: null, beforeMicros: null, requestedMicros };
          await deleteEvents(async (token) => {
            await storesOver(database).deletions.add({ ...asked, token, id, requestedBy: 'someone' });
            return { ...asked, token };
          });
        };
        await using(settings, 'embedded', async (engine) => {
          const { log } = engine;
          await log.append(batch('deleted'));
          const database = await openDatabase(settings.dataDir);
          try {
            const { retention, tokens } = storesOver(database);
            await deleteAll(engine, database, 'x');
            await tokens.create(tokenRecord('kept'));
            await retention.change([{ source: null, project: 'q', days: 1 }], []);
          } finally {
            await database.destroy();
          }
          await log.append(batch('kept'));
        });
        await expect(move(settings, 'clickhouse')).rejects.toThrow('logmill migrate --to postgres');
        await migrateDefinitions(settings, 'postgres', 1);
        expect(await move(settings, 'clickhouse')).toEqual({ copied: 1, equal: 1 });
        await using(settings, 'embedded', async (engine, database) => await deleteAll(engine, database, 'y'));
        await expect(move(settings, 'clickhouse')).rejects.toThrow(
          /^Nothing was changed: .* Events of "p" were deleted in the source after the last copy/,
        );
        const back = settingsOf(newFolder(), settings.clickhouseDatabase, schema.url);
        expect(await move(back, 'folder')).toEqual({ copied: 1, equal: 1 });
        await migrateDefinitions(back, 'folder', 1);
        expect(await using(back, 'embedded', idsOf)).toEqual(['kept']);
        const database = await openDatabase(back.dataDir);
        try {
          const [deletion] = await storesOver(database).deletions.load();
          expect(deletion).toMatchObject({ id: 'x', sources: [{ events: 1 }] });
          expect(deletion?.completedMicros).not.toBeNull();
          expect(await new SqlRetentionStore(database).load()).toEqual([{ source: null, project: 'q', days: 1 }]);
          expect(await new SqlTokenStore(database).findByPublicId('kept')).toBeDefined();
        } finally {
          await database.destroy();
        }
      } finally {
        await schema.drop();
      }
    },
  );
});
