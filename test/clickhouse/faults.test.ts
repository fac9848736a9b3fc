import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { rawBody } from './rawBody.ts';
import { hasStandIn, startStandIn, type TestClickHouse } from './startClickHouse.ts';

const many = 'SELECT number FROM numbers(1000) FORMAT TSV';

describe.skipIf(!hasStandIn)('faults of the stand-in of ClickHouse', () => {
  let server: TestClickHouse;
  const control = () => {
    if (server.standIn === null) throw new Error('not a stand-in');
    return server.standIn;
  };
  const post = async (body: string, parameters = '') =>
    await fetch(`${server.url}/?wait_end_of_query=1${parameters}`, { method: 'POST', body });

  beforeAll(async () => {
    server = await startStandIn();
    await server.run(
      'CREATE TABLE t (id Int32) ENGINE = MergeTree ORDER BY id SETTINGS non_replicated_deduplication_window = 10',
    );
  });
  afterEach(async () => {
    await control().clearFaults();
    await control().acceptConnections();
    await server.run('TRUNCATE TABLE t');
  });
  afterAll(async () => await server?.close());

  it('meets only the requests that it is meant for, as often as it says', async () => {
    await control().addFault({ kind: 'status', status: 503, times: 1, after: 1, matching: 'from\\s+numbers' });
    const statuses: number[] = [];
    for (const query of [many, 'SELECT 1', many, many]) statuses.push((await post(query)).status);
    expect(statuses).toEqual([200, 200, 503, 200]);
    expect((await control().state()).faultsPending).toBe(0);
  });

  it('breaks an answer off in the middle, which a client sees', async () => {
    await control().addFault({ kind: 'brokenOff', afterBytes: 100, times: 1 });
    const broken = await post(many);
    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow();
    expect((await (await post(many)).text()).split('\n')).toHaveLength(1001);
  });

  it('ends an answer with a late exception under its tag, and without the last chunk', async () => {
    await control().addFault({ kind: 'lateException', afterBytes: 10, code: 241, name: 'MEMORY_LIMIT_EXCEEDED' });
    const late = await post(many);
    expect(late.status).toBe(200);
    const tag = late.headers.get('X-ClickHouse-Exception-Tag') ?? '';
    const text = await untilBroken(late);
    expect(text).toMatch(
      new RegExp(`^0\n1\n2\n3\n4\n\r\n__exception__\r\n${tag}\r\nCode: 241\\..*\n\\d+ ${tag}\r\n__exception__\r\n$`),
    );
  });

  it('changes the checksum of a compressed answer, and a byte of any other', async () => {
    await control().addFault({ kind: 'corrupted' });
    const gzip = await rawBody(server.url, many, 'gzip');
    expect(() => gunzipSync(gzip)).toThrow('incorrect data check');
    const whole = Array.from({ length: 1000 }, (_, i) => `${i}\n`).join('');
    const changed = await (await post(many)).text();
    expect([...changed].filter((char, at) => char !== whole[at])).toHaveLength(1);
  });

  it('resets the connection after an INSERT was stored, and before it is', async () => {
    const insert = (token: string) =>
      post('INSERT INTO t VALUES (1), (2)', `&async_insert=0&insert_deduplication_token=${token}`);
    await control().addFault({ kind: 'resetAfter', times: 1 });
    await expect(insert('a')).rejects.toThrow();
    expect(await server.run('SELECT count() FROM t')).toBe('2\n');
    expect((await insert('a')).status).toBe(200);
    expect(await server.run('SELECT count() FROM t')).toBe('2\n');
    await control().addFault({ kind: 'resetBefore', times: 1 });
    await expect(insert('b')).rejects.toThrow();
    expect(await server.run('SELECT count() FROM t')).toBe('2\n');
  });

  it("answers with an error of ClickHouse's, such as too many parts, and stores nothing", async () => {
    await control().addFault({ kind: 'error', code: 252, name: 'TOO_MANY_PARTS', times: 1 });
    const refused = await post('INSERT INTO t VALUES (1)');
    expect([refused.status, refused.headers.get('X-ClickHouse-Exception-Code')]).toEqual([500, '252']);
    expect(await refused.text()).toMatch(/^Code: 252\. DB::Exception: .* \(TOO_MANY_PARTS\)/);
    expect(await server.run('SELECT count() FROM t')).toBe('0\n');
  });

  it('refuses connections, and takes them again on the same port', async () => {
    await control().refuseConnections();
    await expect(post('SELECT 1')).rejects.toThrow();
    await control().acceptConnections();
    expect(await server.run('SELECT 1')).toBe('1\n');
  });

  it('is slow, or silent until the client gives up', async () => {
    await control().addFault({ kind: 'slow', ms: 50, times: 1 });
    const startMs = performance.now();
    await post('SELECT 1');
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(50);
    await control().addFault({ kind: 'silent', times: 1 });
    const waiting = fetch(server.url, { method: 'POST', body: 'SELECT 1', signal: AbortSignal.timeout(100) });
    await expect(waiting).rejects.toThrow();
  });

  it('loses no acknowledged rows when ClickHouse ends in the middle of a statement', async () => {
    await server.run('INSERT INTO t VALUES (5)', { async_insert: '0' });
    await control().addFault({ kind: 'crash', times: 1 });
    await expect(post('SELECT sleepEachRow(0.1) FROM numbers(100) SETTINGS max_block_size = 1')).rejects.toThrow();
    expect(await server.run('SELECT id FROM t')).toBe('5\n');
    expect((await control().state()).starts).toBe(2);
  });
});

/** The bytes of an answer that is broken off. */
async function untilBroken(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  await expect(
    (async () => {
      for await (const chunk of response.body ?? []) chunks.push(chunk);
    })(),
  ).rejects.toThrow();
  return Buffer.concat(chunks).toString();
}
