import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { settingsSchema } from '../settings.ts';
import { checkClickHouse } from './clickhouseCheck.ts';

const readerGrants = 'GRANT SELECT ON logmill.* TO logmill_reader\nGRANT SELECT ON web.access TO logmill_reader\n';
let server: Server | undefined;
afterEach(() => server?.close());

/** A server that answers statements that begin so, and refuses all others as ClickHouse does. */
async function serve(answers: Readonly<Record<string, string>>): Promise<string> {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://server');
    let statement = searchParams.get('query') ?? '';
    request.on('data', (chunk: Buffer) => {
      statement += chunk.toString();
    });
    request.on('end', () => {
      const [, answer] = Object.entries(answers).find(([start]) => statement.trim().startsWith(start)) ?? [];
      if (answer !== undefined) response.end(answer);
      else {
        response.writeHead(500, { 'x-clickhouse-exception-code': '497' });
        response.end('Code: 497. DB::Exception: Not enough privileges. (ACCESS_DENIED)\n');
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const check = async (given: Readonly<Record<string, unknown>>) =>
  await checkClickHouse(settingsSchema.parse({ events: 'clickhouse', ...given }));
const short = (findings: Awaited<ReturnType<typeof check>>) =>
  findings.map(({ check: name, status }) => [name, status]);

const fine = { 'SELECT version()': '26.7.1.12\n', 'SHOW GRANTS': readerGrants, 'SELECT 1': '1\n' };

describe('the doctor on ClickHouse', () => {
  it('looks at nothing while events are in the data folder, and misses the address otherwise', async () => {
    expect(await checkClickHouse(settingsSchema.parse({}))).toEqual([]);
    expect(short(await check({}))).toEqual([['ClickHouse', 'fail']]);
  });

  it('finds a server of a fitting release whose user of queries can only read', async () => {
    const clickhouseUrl = await serve(fine);
    const all = [
      ['ClickHouse', 'ok'],
      ['reader rights', 'ok'],
      ['ClickHouse TLS', 'ok'],
    ];
    expect(short(await check({ clickhouseUrl }))).toEqual(all);
  });

  it.each([
    ['GRANT SELECT, INSERT ON logmill.* TO logmill_reader'],
    ['GRANT SELECT ON *.* TO logmill_reader'],
    ['GRANT SELECT ON logmill2.* TO logmill_reader'],
    ['GRANT SELECT ON system.query_log TO logmill_reader'],
    ['GRANT SELECT ON logmill.* TO logmill_reader WITH GRANT OPTION'],
    ['GRANT CREATE TABLE ON logmill.* TO logmill_reader'],
    ['GRANT role_of_all TO logmill_reader'],
  ])('refuses a user of queries with the right: %s', async (grant) => {
    const clickhouseUrl = await serve({ ...fine, 'SHOW GRANTS': `${readerGrants}${grant}\n` });
    const [, rights] = await check({ clickhouseUrl });
    expect(rights).toMatchObject({ status: 'fail', message: expect.stringContaining(grant) });
  });

  it.each([
    ['has no rights', { ...fine, 'SHOW GRANTS': '' }, 'may read nothing'],
    ['cannot run queries', { ...fine, 'SELECT 1': undefined }, 'Not enough privileges'],
  ])('says of a user of queries that it %s', async (_what, answers, message) => {
    const given = Object.fromEntries(Object.entries(answers).filter(([, text]) => text !== undefined));
    const clickhouseUrl = await serve(given as Record<string, string>);
    expect((await check({ clickhouseUrl }))[1]).toMatchObject({
      status: 'fail',
      message: expect.stringContaining(message),
    });
  });

  it('says what is wrong with a server: its release, its answer, or that there is none', async () => {
    const old = await serve({ ...fine, 'SELECT version()': '25.8.2.1\n' });
    expect((await check({ clickhouseUrl: old }))[0]).toMatchObject({
      status: 'fail',
      message: expect.stringMatching(/is ClickHouse 25\.8\.2\.1; Logmill needs 26\.3 or newer/),
    });
    expect((await check({ clickhouseUrl: 'http://127.0.0.1:1' }))[0]).toMatchObject({
      status: 'fail',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('counts the shards and replicas of a cluster, and says if the server knows none of the name', async () => {
    const given = { clickhouseCluster: 'logs' };
    const clickhouseUrl = await serve({ ...fine, 'SELECT shard_num': '1\t2\t1\n2\t2\t1\n' });
    expect(await check({ ...given, clickhouseUrl })).toContainEqual(
      expect.objectContaining({ check: 'cluster', message: 'The cluster logs has 2 shards with 2, 2 replicas.' }),
    );
    server?.close();
    const without = await serve({ ...fine, 'SELECT shard_num': '' });
    expect(await check({ ...given, clickhouseUrl: without })).toContainEqual(
      expect.objectContaining({ check: 'cluster', status: 'fail' }),
    );
  });
});
