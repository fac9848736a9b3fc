import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FreshSchema, freshSchema, hasPostgres } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import { SqlTokenStore } from '../sql/sqlTokenStore.ts';
import { storesContract } from '../sql/stores.contract.ts';
import { tokenRecord } from '../sql/tokenRecord.fixture.ts';
import { FollowedGenerations } from './followedGenerations.ts';
import { migrate, type PostgresMigration, requireUsable, type StepDone } from './migrate.ts';
import { postgresMigrations } from './migrations/index.ts';
import { openPostgres } from './openPostgres.ts';
import { openPostgresStores } from './openPostgresStores.ts';
import { openTwice, patientWaits } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';
import { PostgresPool } from './postgresPool.ts';

/** The steps that nodes of the release before know. */
const before = postgresMigrations.slice(0, -1);

/** How nodes of the release before read the change counts: recorded, because the last step has changed this statement. */
const countsOfBefore = `select subject as name, generation, '' as release, '' as oldest from generations
  union all select name, null, release, oldest from schema_steps`;

interface CountOrStep extends StepDone {
  readonly generation: number | null;
}

describe.skipIf(!hasPostgres)('an upgrade of nodes one after another', () => {
  let schema: FreshSchema;
  let closing: (() => Promise<unknown>)[];
  beforeEach(async () => {
    schema = await freshSchema();
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing.toReversed()) await close();
    await schema.drop();
  });
  const address = () => parsePostgresAddress(schema.url);

  async function poolWith(migrations: readonly PostgresMigration[]): Promise<PostgresPool> {
    const pool = await PostgresPool.open(address(), patientWaits);
    closing.push(() => pool.end());
    await migrate(pool, migrations, '1.0.0');
    return pool;
  }

  /** The change counts and tokens of a node of the release before. */
  async function olderNode() {
    const store = await openPostgres({ address: address(), release: '1.0.0', timer: systemTimer, waits: patientWaits });
    const followed = new FollowedGenerations({
      readAll: async () => {
        const rows = await store.pool.query<CountOrStep>(countsOfBefore);
        requireUsable(
          store.pool,
          rows.filter(({ generation }) => generation === null),
          before,
        );
        return new Map(
          rows.flatMap(({ name, generation }) =>
            generation === null ? [] : [[name, { generation, mark: '' }] as const],
          ),
        );
      },
      timer: systemTimer,
      staleMsMax: 600_000,
      lost: () => undefined,
      recovered: () => undefined,
      stillLost: () => undefined,
      wentBack: () => undefined,
    });
    const heard: string[] = [];
    const listener = store.listener({ connected: () => undefined, lost: () => undefined });
    listener.on(`${address().schema}_generations`, (payload) => {
      heard.push(payload);
      // That release took the first two parts.
      followed.notified(payload.split(' ').slice(0, 2).join(' '));
    });
    await followed.start();
    await listener.start();
    closing.push(async () => {
      followed.close();
      await listener.close();
      await store.close();
    });
    return { tokens: new SqlTokenStore(store.database, followed), heard };
  }

  it('keeps changes of nodes of both releases visible to each other', async () => {
    await poolWith(before);
    const newer = await openPostgresStores({
      address: address(),
      release: '1.1.0',
      timer: systemTimer,
      waits: patientWaits,
      staleMsMax: 600_000,
      lost: () => undefined,
      recovered: () => undefined,
      stillLost: () => undefined,
      wentBack: () => closing.push(async () => expect.fail('a change by an older node is no other history')),
    });
    closing.push(() => newer.close());
    const older = await olderNode();
    await older.tokens.create(tokenRecord('ofolder00000'));
    await expect.poll(async () => (await newer.tokens.findByPublicId('ofolder00000'))?.publicId).toBe('ofolder00000');
    const seen = await older.tokens.generation();
    await newer.tokens.revoke('ofolder00000', 5);
    await expect.poll(async () => await older.tokens.generation()).toBe(seen + 1);
    expect((await older.tokens.findByPublicId('ofolder00000'))?.revokedAtMicros).toBe(5);
    await expect.poll(() => older.heard.length).toBeGreaterThan(0);
    expect(await newer.generation('tokens')).toBe(await older.tokens.generation());
  });

  /** What statements of a node rely on, by table. */
  async function shape(pool: PostgresPool) {
    const columns = await pool.query<{ name: string; type: string; isOpen: boolean }>(
      `select table_name || '.' || column_name as name, data_type || ' ' || coalesce(collation_name, '') as type,
         is_nullable = 'YES' or column_default is not null as "isOpen"
       from information_schema.columns where table_schema = $1`,
      [address().schema],
    );
    const rules = await pool.query<{ rule: string }>(
      `select conrelid::regclass::text || ' ' || pg_get_constraintdef(oid) as rule from pg_constraint where connamespace = $1::regnamespace and conrelid <> 0`,
      [address().schema],
    );
    const unique = await pool.query<{ rule: string }>(
      `select indrelid::regclass::text || ' ' || pg_get_indexdef(indexrelid) as rule from pg_index
       join pg_class on pg_class.oid = indrelid where indisunique and relnamespace = $1::regnamespace`,
      [address().schema],
    );
    return { columns, rules: new Set([...rules, ...unique].map(({ rule }) => rule)) };
  }

  it.each(postgresMigrations.slice(1).map((step, n) => [step.name, n + 1] as const))(
    'finds all that older nodes use after the step %s, and nothing more that they would have to give or keep',
    async (_, n) => {
      const older = await shape(await poolWith(postgresMigrations.slice(0, n)));
      const newer = await shape(await poolWith(postgresMigrations.slice(0, n + 1)));
      const typeOf = new Map(newer.columns.map(({ name, type }) => [name, type]));
      for (const { name, type } of older.columns) expect([name, typeOf.get(name)]).toEqual([name, type]);
      const known = new Set(older.columns.map(({ name }) => name));
      const tables = new Set(older.columns.map(({ name }) => name.split('.')[0]));
      const added = newer.columns.filter(({ name }) => !known.has(name) && tables.has(name.split('.')[0]));
      expect(added.filter(({ isOpen }) => !isOpen)).toEqual([]);
      const isOfOlder = (rule: string) => tables.has(rule.split(' ')[0]?.split('.').at(-1));
      expect([...newer.rules].filter((rule) => isOfOlder(rule) && !older.rules.has(rule))).toEqual([]);
    },
  );
});

/** The tables that a later release may add columns to. */
const laterStep = async (pool: PostgresPool) => {
  const tables = await pool.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    pool.address.schema,
  ]);
  for (const { name } of tables) await pool.query(`alter table ${name} add column of_later text not null default 'x'`);
};

// The nodes of this release, when those of the next one have migrated.
describe.skipIf(!hasPostgres)('stores on the schema of a later release', () =>
  storesContract({
    name: 'PostgreSQL with added columns',
    openTwice: async () => {
      const opened = await openTwice();
      await laterStep(opened.nodes[0].pool);
      return opened;
    },
  }),
);
