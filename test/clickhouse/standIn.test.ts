import { connect } from 'node:net';
import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rawBody } from './rawBody.ts';
import { hasStandIn, startStandIn, type TestClickHouse } from './startClickHouse.ts';

const reader = { name: 'reader', password: 'secret', grants: ['SELECT ON shop.orders'] };

describe.skipIf(!hasStandIn)('the stand-in of ClickHouse', () => {
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

  it('says in the summary what a query has read, returned and written', async () => {
    const summary = async (query: string) => {
      const response = await fetch(`${server.url}/?wait_end_of_query=1`, { method: 'POST', body: query });
      await response.text();
      const { read_rows, written_rows, result_rows } = JSON.parse(response.headers.get('X-ClickHouse-Summary') ?? '{}');
      return [read_rows, written_rows, result_rows];
    };
    expect(await summary('SELECT number FROM numbers(12345) WHERE number % 2000 = 7')).toEqual(['12345', '0', '7']);
    // Rows that another test deleted are still read.
    const name = await server.createDatabase();
    await server.run(`CREATE TABLE ${name}.orders (id Int32, text String) ENGINE = MergeTree ORDER BY id`);
    expect(await summary(`INSERT INTO ${name}.orders VALUES (30, 'a'), (31, 'b'), (32, 'c')`)).toEqual(['3', '3', '3']);
    expect(await summary(`SELECT * FROM ${name}.orders`)).toEqual(['3', '0', '3']);
  });

  it.each(['gzip', 'deflate', 'br', 'zstd', 'lz4', 'xz', 'snappy'])(
    'compresses with %s in both directions',
    async (encoding) => {
      const compressed = await rawBody(server.url, "SELECT 7, repeat('x', 1000)", encoding);
      expect(compressed.length).toBeLessThan(500);
      const name = await server.createDatabase();
      await server.run(`CREATE TABLE ${name}.t (id Int32, text String) ENGINE = Memory`);
      const url = `${server.url}/?query=${encodeURIComponent(`INSERT INTO ${name}.t FORMAT TSV`)}`;
      const sent = await fetch(url, { method: 'POST', body: compressed, headers: { 'Content-Encoding': encoding } });
      expect(sent.status).toBe(200);
      expect(await server.run(`SELECT id, length(text) FROM ${name}.t`)).toBe('7\t1000\n');
    },
  );

  it('sends a large result while the query runs, and an error after it as a late exception', async () => {
    const query =
      "SELECT number, repeat('x', 100), throwIf(number = 150000) FROM numbers(200000) SETTINGS max_block_size = 1000";
    const text = (await rawExchange(server.url, query)).toString();
    expect(text).toMatch(/^HTTP\/1.1 200 OK/);
    const tag = /x-clickhouse-exception-tag: (\w{16})/i.exec(text)?.[1] ?? '';
    expect(text).toMatch(new RegExp(`\r\n__exception__\r\n${tag}\r\nCode: 395\\..*\n\\d+ ${tag}\r\n__exception__\r\n`));
    expect(text.endsWith('0\r\n\r\n')).toBe(false);
    await expect(server.run(query)).rejects.toThrow('Code: 395');
  });

  it('reports progress in headers while the query runs', async () => {
    const query = 'SELECT sleepEachRow(0.1) FROM numbers(4) SETTINGS max_block_size = 1';
    const text = (await rawExchange(server.url, query, 'send_progress_in_http_headers=1')).toString();
    expect(text.match(/^X-ClickHouse-Progress: \{/gm)?.length).toBeGreaterThanOrEqual(2);
    expect(text).toContain('X-ClickHouse-Summary: {"read_rows":"4"');
    expect(text.endsWith('\r\n0\r\n\r\n')).toBe(true);
  });

  it('keeps settings and temporary tables in a session, but not the settings of its requests', async () => {
    const session = async (query: string, settings: Record<string, string> = {}) =>
      await server.run(query, { session_id: 's', ...settings });
    await session('SET max_threads = 7');
    await session('CREATE TEMPORARY TABLE kept (id Int8)');
    expect(await session("SELECT getSetting('max_threads')", { max_threads: '3' })).toBe('3\n');
    expect(await session("SELECT getSetting('max_threads')")).toBe('7\n');
    expect(await session('SELECT count() FROM kept', { close_session: '1' })).toBe('0\n');
    await expect(session('SELECT count() FROM kept')).rejects.toThrow('Code: 60');
    await expect(server.run('SELECT 1', { session_id: 'other', session_check: '1' })).rejects.toThrow('Code: 372');
  });

  it('reads and writes through a Distributed table', async () => {
    const name = await server.createDatabase();
    await server.run(`CREATE TABLE ${name}.t (id Int32) ENGINE = MergeTree ORDER BY id`);
    await server.run(`CREATE TABLE ${name}.d AS ${name}.t ENGINE = Distributed(one_shard, ${name}, t)`);
    await server.run(`INSERT INTO ${name}.d VALUES (4)`, { distributed_foreground_insert: '1' });
    expect(await server.run(`SELECT id FROM ${name}.d`)).toBe('4\n');
  });

  it('answers in binary formats, whole', async () => {
    const body = await rawBody(server.url, 'SELECT number FROM numbers(1000) FORMAT Parquet', '');
    expect([body.subarray(0, 4).toString(), body.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1']);
    const rowBinary = await rawBody(server.url, 'SELECT toUInt16(258) FORMAT RowBinary', '');
    expect([...rowBinary]).toEqual([2, 1]);
  });

  it('gives errors the statuses of a server', async () => {
    const ask = async (query: string, parameters = '') => {
      const response = await fetch(`${server.url}/?${parameters}`, { method: 'POST', body: query });
      return [response.status, response.headers.get('X-ClickHouse-Exception-Code')];
    };
    expect(await ask('SELEC')).toEqual([400, '62']);
    expect(await ask('SELECT 1; SELECT 2')).toEqual([400, '62']);
    expect(await ask('SELECT * FROM nowhere')).toEqual([404, '60']);
    expect(await ask('SELECT 1', 'nonsense=1')).toEqual([404, '115']);
    expect(await ask('SELECT 1', 'database=nowhere')).toEqual([404, '81']);
    expect(
      await ask('SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1', 'max_execution_time=0.3'),
    ).toEqual([408, '159']);
    expect(await ask('SELECT number FROM numbers(100)', 'max_result_rows=10')).toEqual([500, '396']);
    expect(await ask('SELECT {x:Int8}', 'param_x=a')).toEqual([500, '457']);
  });

  it('writes nothing for a GET', async () => {
    const url = `${server.url}/?query=${encodeURIComponent('DROP TABLE shop.orders')}`;
    expect((await fetch(url)).headers.get('X-ClickHouse-Exception-Code')).toBe('164');
  });

  it('ends a query whose client has gone, if the query asks for it', async () => {
    const query = 'SELECT sleepEachRow(0.1) FROM numbers(3000) SETTINGS max_block_size = 1';
    const url = `${server.url}/?query_id=left&cancel_http_readonly_queries_on_client_close=1`;
    const gone = new AbortController();
    const asked = fetch(url, { method: 'POST', body: query, signal: gone.signal });
    await expect.poll(async () => (await server.standIn?.state())?.running).toEqual(['left']);
    gone.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(async () => (await server.standIn?.state())?.running).toEqual([]);
  });
});

/** All bytes that the server sends for a query until it closes the connection. */
async function rawExchange(url: string, query: string, parameters = ''): Promise<Buffer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  const head = `POST /?${parameters} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${query.length}\r\n\r\n`;
  socket.write(head + query);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
