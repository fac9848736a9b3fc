import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FreshSchema, freshSchema, hasPostgres } from '../../test/support/postgresStores.ts';
import { systemTimer } from '../core/timer.ts';
import { parseDefinition } from '../endpoints/parseDefinition.ts';
import { openPostgres } from '../stores/postgres/openPostgres.ts';
import { parsePostgresAddress } from '../stores/postgres/postgresAddress.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlAuditTrail } from '../stores/sql/sqlAuditTrail.ts';
import { SqlCommitLedger } from '../stores/sql/sqlCommitLedger.ts';
import { SqlEndpointStore } from '../stores/sql/sqlEndpointStore.ts';
import { SqlPageSecrets } from '../stores/sql/sqlPageSecrets.ts';
import { SqlRetentionStore } from '../stores/sql/sqlRetentionStore.ts';
import { SqlSessionStore } from '../stores/sql/sqlSessionStore.ts';
import { SqlSourceStore } from '../stores/sql/sqlSourceStore.ts';
import { SqlTokenStore } from '../stores/sql/sqlTokenStore.ts';
import { tokenRecord } from '../stores/sql/tokenRecord.fixture.ts';
import { openDatabase } from '../stores/sqlite/database.ts';
import { lockFolder } from './folderLock.ts';
import { migrateDefinitions } from './migrateDefinitions.ts';
import { readSettings } from './readSettings.ts';
import type { Settings } from './settings.ts';

const id = '11111111-1111-4111-8111-111111111111';
const definitionOf = (query: string) => parseDefinition({ id, name: 'a.b', query }, { label: 'a.b' });
const audited = (target: string) => () => [
  { atMicros: 5, actor: 'a', action: 'token.create' as const, target, version: null, requestId: 'r' },
];
const change = { nowMicros: 7, author: 'a', note: 'a note' };

/** More entries than are copied at once. */
const auditEntries = 1_100;

async function fill(database: StoreDatabase): Promise<void> {
  const endpoints = new SqlEndpointStore(database);
  await endpoints.apply([{ kind: 'create', definition: definitionOf('select 1') }], change, audited(id));
  await endpoints.apply([{ kind: 'change', definition: definitionOf('select 2'), expected: 1 }], change, audited(id));
  const tokens = new SqlTokenStore(database);
  await tokens.create({ ...tokenRecord('kept'), description: "it's 😀" }, audited('kept'));
  await tokens.create(tokenRecord('revoked'), audited('revoked'));
  await tokens.revoke('revoked', 9, audited('revoked'));
  await new SqlSourceStore(database).add(
    { name: 's', projectField: { kind: 'column' }, description: 'd' },
    ['t'],
    1,
    audited('s'),
  );
  await new SqlRetentionStore(database).change([{ source: 's', project: null, days: 3 }], [], audited('s'));
  await new SqlPageSecrets(database).add({ month: 700, secret: Buffer.alloc(32, 1) });
}

async function contentsOf(database: StoreDatabase) {
  return {
    endpoints: await new SqlEndpointStore(database).list(),
    versions: (await sql`select * from endpoint_versions order by version`.execute(database)).rows,
    tokens: await new SqlTokenStore(database).list(),
    sources: await new SqlSourceStore(database).load(),
    retention: await new SqlRetentionStore(database).load(),
    secrets: await new SqlPageSecrets(database).load(),
    audit: (await sql`select * from audit_trail order by sequence`.execute(database)).rows,
  };
}

describe.skipIf(!hasPostgres)('moving definitions between the data folder and PostgreSQL', () => {
  let schema: FreshSchema;
  let dataDir: string;
  let settings: Settings;
  beforeEach(async () => {
    schema = await freshSchema();
    dataDir = mkdtempSync(join(tmpdir(), 'logmill-migrate-'));
    settings = settingsOf(dataDir);
    await inFolder(fill);
  });
  afterEach(async () => {
    await schema.drop();
    rmSync(dataDir, { recursive: true });
  });

  const settingsOf = (folder: string): Settings =>
    readSettings({ environment: { LOGMILL_STORE: schema.url, LOGMILL_DATA_DIR: folder }, flags: {} }).settings;

  async function inFolder<T>(use: (database: StoreDatabase) => Promise<T>, folder = dataDir): Promise<T> {
    const database = await openDatabase(folder);
    try {
      return await use(database);
    } finally {
      await database.destroy();
    }
  }

  async function inPostgres<T>(use: (database: StoreDatabase) => Promise<T>): Promise<T> {
    const store = await openPostgres({
      address: parsePostgresAddress(schema.url),
      release: '0.0.0',
      timer: systemTimer,
    });
    try {
      return await use(store.database);
    } finally {
      await store.close();
    }
  }

  it('copies everything, and back again after further changes, to the same folder or a new one', async () => {
    await inFolder(async (database) => {
      const entries = Array.from({ length: auditEntries }, (_, index) => audited(`n${index}`)());
      await new SqlAuditTrail(database).record(...entries.flat());
    });
    const before = await inFolder(contentsOf);
    const rows = await migrateDefinitions(settings, 'postgres', 1);
    expect(Object.fromEntries(rows)).toMatchObject({
      endpoints: 1,
      endpoint_versions: 2,
      tokens: 2,
      audit_trail: before.audit.length,
    });
    expect(await inPostgres(contentsOf)).toEqual(before);
    // Once more: the target is now an earlier state.
    await migrateDefinitions(settings, 'postgres', 1);
    expect(await inPostgres(contentsOf)).toEqual(before);

    await inPostgres(async (database) => {
      await new SqlTokenStore(database).revoke('kept', 9, audited('kept'));
      await new SqlEndpointStore(database).apply(
        [{ kind: 'change', definition: definitionOf('select 3'), expected: 2 }],
        change,
        audited(id),
      );
      await new SqlSourceStore(database).setAliases('s', [], audited('s'));
    });
    const after = await inPostgres(contentsOf);
    expect(after).not.toEqual(before);
    await migrateDefinitions(settings, 'folder', 1);
    expect(await inFolder(contentsOf)).toEqual(after);
    const other = mkdtempSync(join(tmpdir(), 'logmill-migrate-'));
    try {
      await migrateDefinitions(settingsOf(other), 'folder', 1);
      expect(await inFolder(contentsOf, other)).toEqual(after);
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('changes nothing if the target holds what the source does not have', async () => {
    await migrateDefinitions(settings, 'postgres', 1);
    await inPostgres((database) => new SqlTokenStore(database).create(tokenRecord('new'), audited('new')));
    const before = await inPostgres(contentsOf);
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.toThrow('Nothing was changed');
    // Both have gone on: neither is an earlier state of the other.
    await inFolder((database) => new SqlTokenStore(database).create(tokenRecord('own'), audited('own')));
    const folder = await inFolder(contentsOf);
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.toThrow('Nothing was changed');
    await expect(migrateDefinitions(settings, 'folder', 1)).rejects.toThrow('Nothing was changed');
    expect(await inPostgres(contentsOf)).toEqual(before);
    expect(await inFolder(contentsOf)).toEqual(folder);
  });

  it('takes the ledger of events in ClickHouse along, and keeps that of the target if the source has none', async () => {
    const environment = {
      LOGMILL_STORE: schema.url,
      LOGMILL_DATA_DIR: dataDir,
      LOGMILL_EVENTS: 'clickhouse',
      LOGMILL_CLICKHOUSE_URL: 'http://127.0.0.1:1',
    };
    const withClickHouse = readSettings({ environment, flags: {} }).settings;
    const state = async (database: StoreDatabase) => await new SqlCommitLedger(database).state();
    await migrateDefinitions(withClickHouse, 'postgres', 1);
    // A trial of the target, in which a node was killed within a commit.
    const batch = { events: 3, identity: { key: 'k', digest: 'd', answer: '' } };
    await inPostgres((database) => new SqlCommitLedger(database).begin('killed', [batch], 1));
    const tried = await inPostgres(state);
    expect(tried.hidden).toHaveLength(1);
    await migrateDefinitions(withClickHouse, 'postgres', 1);
    expect(await inPostgres(state)).toEqual(tried);
    await migrateDefinitions(withClickHouse, 'folder', 1);
    expect(await inFolder(state)).toEqual(tried);
  });

  it('ends the sessions of both sides', async () => {
    const session = { secretHash: 'f0', tokenId: 'kept', tokenHash: 'f1', createdAtMicros: 5, expiresAtMicros: 9e15 };
    await inFolder((database) => new SqlSessionStore(database).create(session));
    await migrateDefinitions(settings, 'postgres', 1);
    expect(await inPostgres((database) => new SqlSessionStore(database).find('f0'))).toBeUndefined();
    await migrateDefinitions(settings, 'folder', 1);
    expect(await inFolder((database) => new SqlSessionStore(database).find('f0'))).toBeUndefined();
  });

  it('revives no token that was revoked without an entry in the audit trail', async () => {
    await migrateDefinitions(settings, 'postgres', 1);
    await inPostgres((database) => new SqlTokenStore(database).revoke('kept', 9));
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.toThrow('Nothing was changed');
    await migrateDefinitions(settings, 'folder', 1);
    expect(await inFolder((database) => new SqlTokenStore(database).findByPublicId('kept'))).toMatchObject({
      revokedAtMicros: 9,
    });
  });

  it('needs no audit trail to tell that a target has a token which the source does not have', async () => {
    const other = mkdtempSync(join(tmpdir(), 'logmill-migrate-'));
    try {
      await inFolder((database) => new SqlTokenStore(database).create(tokenRecord('one')), other);
      await migrateDefinitions(settingsOf(other), 'postgres', 1);
      await migrateDefinitions(settingsOf(other), 'postgres', 1);
      await inPostgres((database) => new SqlTokenStore(database).create(tokenRecord('two')));
      await expect(migrateDefinitions(settingsOf(other), 'postgres', 1)).rejects.toThrow('Nothing was changed');
    } finally {
      rmSync(other, { recursive: true });
    }
  });

  it('says what to do with a target on which a service has only started', async () => {
    // The start makes tokens without an entry in the audit trail.
    await inPostgres((database) => new SqlTokenStore(database).create(tokenRecord('made by a start')));
    const { schema: name } = parsePostgresAddress(schema.url);
    const refused = migrateDefinitions(settings, 'postgres', 1);
    await expect(refused).rejects.toThrow('Its audit trail is empty, so perhaps a service has only started on it');
    await expect(refused).rejects.toThrow(`run "DROP SCHEMA ${name} CASCADE" in PostgreSQL, and run the same command`);
    await inPostgres((database) => sql`drop schema ${sql.id(name)} cascade`.execute(database));
    await migrateDefinitions(settings, 'postgres', 1);
    expect(await inPostgres(contentsOf)).toEqual(await inFolder(contentsOf));
    await inPostgres((database) => new SqlTokenStore(database).create(tokenRecord('of a user'), audited('of a user')));
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.not.toThrow('DROP SCHEMA');
  });

  it('names the database if that breaks off, also as the source', async () => {
    await migrateDefinitions(settings, 'postgres', 1);
    await inPostgres(async (database) => {
      await sql`alter table page_secrets rename to kept_secrets`.execute(database);
      await sql`create view page_secrets as select * from kept_secrets where pg_terminate_backend(pg_backend_pid())`.execute(
        database,
      );
    });
    const { schema: name } = parsePostgresAddress(schema.url);
    await expect(migrateDefinitions(settings, 'folder', 1)).rejects.toThrow(`(schema ${name})`);
  });

  it('is refused while a service uses either side', async () => {
    const lock = lockFolder(dataDir, 1);
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.toThrow('in use');
    lock.release();
    await inPostgres(async (database) => {
      await sql`insert into nodes (id, version, started_micros, seen_at) values ('n', '0', 1, clock_timestamp() + interval '1 hour')`.execute(
        database,
      );
    });
    await expect(migrateDefinitions(settings, 'postgres', 1)).rejects.toThrow('A node uses the store');
    await expect(migrateDefinitions(settings, 'folder', 1)).rejects.toThrow('A node uses the store');
  });
});
