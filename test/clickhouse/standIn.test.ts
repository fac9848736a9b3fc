import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasClickHouse, startStandIn, type TestClickHouse } from './startClickHouse.ts';

const reader = { name: 'reader', password: 'secret', grants: ['SELECT ON shop.orders'] };

describe.skipIf(!hasClickHouse)('the stand-in of ClickHouse', () => {
  let server: TestClickHouse;

  beforeAll(async () => {
    server = await startStandIn({ users: [reader] });
    await server.run('CREATE DATABASE shop');
    await server.run(
      `CREATE TABLE shop.orders (id Int32, name String) ENGINE = MergeTree ORDER BY id
       SETTINGS non_replicated_deduplication_window = 100`,
    );
    await server.run('CREATE TABLE shop.hidden (id Int32) ENGINE = MergeTree ORDER BY id');
    await server.run('INSERT INTO shop.orders FORMAT JSONEachRow\n{"id":1,"name":"é;"}\n{"id":2,"name":"b"}\n');
  });
  afterAll(async () => await server?.close());

  it("answers the official client: queries, parameters, inserts, and errors with ClickHouse's code", async () => {
    const client = createClient({
      url: server.url,
      compression: { request: true, response: true },
      log: { level: ClickHouseLogLevel.OFF },
    });
    try {
      await client.insert({ table: 'shop.orders', values: [{ id: 9, name: "x'\\" }], format: 'JSONEachRow' });
      const found = await client.query({
        query: 'SELECT * FROM shop.orders WHERE name = {name:String}',
        query_params: { name: "x'\\" },
        format: 'JSONEachRow',
      });
      expect(await found.json()).toEqual([{ id: 9, name: "x'\\" }]);
      await expect(client.query({ query: 'SELECT nonsense FROM shop.orders' })).rejects.toMatchObject({ code: '47' });
      await client.command({ query: 'DELETE FROM shop.orders WHERE id = 9' });
    } finally {
      await client.close();
    }
  });

  it('never puts rows of a failed query into the next answer', async () => {
    const failing = 'SELECT number, throwIf(number = 50) FROM numbers(100) SETTINGS max_block_size = 1';
    for (let i = 0; i < 5; i++) {
      await expect(server.run(failing)).rejects.toThrow('Code: 395');
      expect(await server.run(`SELECT ${i}`)).toBe(`${i}\n`);
    }
  });

  it('lets a setting end with its request, also readonly', async () => {
    expect(await server.run("SELECT getSetting('max_threads')", { max_threads: '3', readonly: '1' })).toBe('3\n');
    await server.run('SET max_threads = 5');
    expect(await server.run("SELECT getSetting('readonly'), getSetting('max_threads') IN (3, 5)")).toBe('0\t0\n');
  });

  it('refuses to change settings with readonly, also in the statement', async () => {
    const settings = { readonly: '1', additional_table_filters: "{'shop.orders':'id = 1'}" };
    expect(await server.run('SELECT id FROM shop.orders', settings)).toBe('1\n');
    const removing = 'SELECT id FROM shop.orders SETTINGS additional_table_filters = {}';
    await expect(server.run(removing, settings)).rejects.toThrow('Code: 164');
  });

  it('has ClickHouse check what a user may do', async () => {
    const ask = async (query: string, key = 'secret') =>
      await fetch(server.url, {
        method: 'POST',
        headers: { 'X-ClickHouse-User': 'reader', 'X-ClickHouse-Key': key },
        body: query,
      });
    expect(await (await ask('SELECT count() FROM shop.orders')).text()).toBe('2\n');
    for (const query of [
      'SELECT * FROM shop.hidden',
      "SELECT * FROM merge('shop', 'hidden')",
      'INSERT INTO shop.orders VALUES (3, 0)',
      'DROP TABLE shop.orders',
      "SELECT * FROM file('/etc/passwd', LineAsString)",
      'SET ROLE of_default',
    ]) {
      const refused = await ask(query);
      expect([query, refused.status]).toEqual([query, 500]);
      expect(await refused.text()).toMatch(/^Code: (497|636)\./);
    }
    expect((await ask('SELECT 1', 'wrong')).status).toBe(403);
  });

  it('stores a repeated INSERT with the same deduplication token once', async () => {
    for (let i = 0; i < 3; i++) {
      const settings = { insert_deduplication_token: 'batch', async_insert: '0' };
      await server.run("INSERT INTO shop.orders VALUES (20, 'a'), (21, 'b')", settings);
    }
    expect(await server.run('SELECT count() FROM shop.orders WHERE id >= 20')).toBe('2\n');
    await server.run('DELETE FROM shop.orders WHERE id >= 20');
  });

  it('ends a query by KILL QUERY, keeps what is stored, and answers again', async () => {
    const query = 'SELECT sleepEachRow(0.1) FROM numbers(3000) SETTINGS max_block_size = 1';
    const slow = fetch(`${server.url}/?query_id=slow&wait_end_of_query=1`, { method: 'POST', body: query });
    await expect.poll(async () => (await server.standIn?.state())?.running).toEqual(['slow']);
    expect(await server.run("KILL QUERY WHERE query_id = 'slow' SYNC")).toMatch(/^finished\tslow\tdefault\t/);
    const killed = await slow;
    expect(killed.headers.get('X-ClickHouse-Exception-Code')).toBe('394');
    expect(await server.run('SELECT count() FROM shop.orders')).toBe('2\n');
  });
});
