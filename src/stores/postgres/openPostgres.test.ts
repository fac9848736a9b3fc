import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CuttableProxy } from '../../../test/support/cuttableProxy.ts';
import { type FreshSchema, freshSchema, hasPostgres } from '../../../test/support/postgresStores.ts';
import { systemTimer } from '../../core/timer.ts';
import { migrate, type PostgresMigration } from './migrate.ts';
import { postgresMigrations } from './migrations/index.ts';
import { openPostgres } from './openPostgres.ts';
import { openPostgresStores } from './openPostgresStores.ts';
import { patientWaits } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';
import { PostgresPool } from './postgresPool.ts';

describe.skipIf(!hasPostgres)('opening a store in PostgreSQL', () => {
  let schema: FreshSchema;
  let pools: PostgresPool[];
  beforeEach(async () => {
    schema = await freshSchema();
    pools = [];
  });
  afterEach(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await schema.drop();
  });

  const address = () => parsePostgresAddress(schema.url);
  const open = () => openPostgres({ address: address(), release: '0.0.0', timer: systemTimer, waits: patientWaits });
  async function pool(): Promise<PostgresPool> {
    const opened = await PostgresPool.open(address(), patientWaits);
    pools.push(opened);
    return opened;
  }

  it('makes the schema once, however many nodes start at once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, open));
    const counted = await stores[0]?.pool.query('select name, release from schema_steps order by name');
    expect(counted).toEqual(postgresMigrations.map(({ name }) => ({ name, release: '0.0.0' })));
    await Promise.all(stores.map((store) => store.close()));
  });

  it('ends its connections when it is closed, whether or not a statement of the stores was run', async () => {
    const [unused, used] = [await open(), await open()];
    await used.database.selectFrom('tokens').selectAll().execute();
    for (const store of [unused, used]) {
      await store.close();
      await expect(store.pool.query('select 1')).rejects.toThrow();
    }
  });

  it('says that the database does not answer if it goes away while a node starts', async () => {
    const url = new URL(schema.url);
    const proxy = await CuttableProxy.to(Number(url.port));
    url.port = String(proxy.port);
    const stores = await openPostgresStores({
      address: parsePostgresAddress(url.href),
      release: '0.0.0',
      timer: systemTimer,
      waits: patientWaits,
      staleMsMax: 60_000,
      lost: () => undefined,
      recovered: () => undefined,
      stillLost: () => undefined,
      wentBack: () => undefined,
    });
    proxy.cut();
    await expect(stores.alone(async () => 'ran')).rejects.toMatchObject({ code: 'service.store_unavailable' });
    proxy.restore();
    expect(await stores.alone(async () => 'ran')).toBe('ran');
    await stores.close();
    await proxy.close();
  });

  it('uses no connection again that was opened before one broke, because each would keep a call waiting', async () => {
    const url = new URL(schema.url);
    const proxy = await CuttableProxy.to(Number(url.port));
    url.port = String(proxy.port);
    const opened = await PostgresPool.open(parsePostgresAddress(url.href), patientWaits);
    const held = await Promise.all(Array.from({ length: 4 }, async () => await opened.connect()));
    for (const connection of held) connection.release();
    proxy.hold();
    const ask = async () => await opened.query<{ readonly one: number }>('select 1 as one', [], 500);
    await expect(ask()).rejects.toMatchObject({ code: 'service.store_unavailable' });
    for (let call = 0; call < 4; call++) expect(await ask()).toEqual([{ one: 1 }]);
    await opened.end();
    await proxy.close();
  });

  const step = (name: string, oldest: string, ...statements: string[]): PostgresMigration => ({
    name,
    oldest,
    statements,
  });
  const first = step('0001_a', '0001_a', 'create table a (n bigint)');
  const adds = step('0002_b', '0001_a', 'alter table a add column m bigint');
  const excludes = step('0003_c', '0002_b', 'alter table a drop column n');

  it('lets an older node work on a schema with steps that allow it, and refuses it after one that does not', async () => {
    const old = await pool();
    await migrate(old, [first], '1.0.0');
    await migrate(await pool(), [first, adds], '1.1.0');
    await migrate(old, [first], '1.0.0');
    await migrate(await pool(), [first, adds, excludes], '1.2.0');
    await expect(migrate(old, [first], '1.0.0')).rejects.toThrow(/was upgraded by Logmill 1\.2\.0.*older version/);
    await migrate(await pool(), [first, adds], '1.1.0');
  });

  it('applies all new steps or none', async () => {
    const node = await pool();
    const broken = step('0002_b', '0001_a', 'create table b (n bigint)', 'create table a (n bigint)');
    await expect(migrate(node, [first, broken], '1.0.0')).rejects.toThrow('already exists');
    expect(await node.query('select 1 from pg_namespace where nspname = $1', [address().schema])).toEqual([]);
    await migrate(node, [first, adds], '1.0.0');
    expect(await node.query('select name from schema_steps order by name')).toEqual([
      { name: '0001_a' },
      { name: '0002_b' },
    ]);
  });

  it('reads whole numbers as numbers, and refuses one that would not be exact', async () => {
    const node = await pool();
    expect(await node.query("select 9007199254740991::int8 as a, 7::int2 as b, 'x' as c, true as d")).toEqual([
      { a: 9_007_199_254_740_991, b: 7, c: 'x', d: true },
    ]);
    await expect(node.query('select 9007199254740993::int8 as a')).rejects.toThrow('not exact');
  });

  it('says that the store is unavailable where no server listens', async () => {
    const nowhere = { ...address(), port: 1 };
    await expect(openPostgres({ address: nowhere, release: '0.0.0', timer: systemTimer })).rejects.toMatchObject({
      code: 'service.store_unavailable',
      retryAfterSeconds: 2,
    });
  });
});
