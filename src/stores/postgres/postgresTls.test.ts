import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../test/support/freePort.ts';
import { installedPrograms, ownForServer, PostgresCluster } from '../../../test/support/postgresCluster.ts';
import { patientWaits } from './openTwice.fixture.ts';
import { parsePostgresAddress } from './postgresAddress.ts';
import { PostgresPool } from './postgresPool.ts';

const programs = installedPrograms();
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe.skipIf(programs === null || !hasOpenssl)('the connection to PostgreSQL', () => {
  let folder: string;
  let cluster: PostgresCluster;
  let port: number;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-tls-'));
    chmodSync(folder, 0o755);
    const server = join(folder, 'server');
    mkdirSync(server);
    const [certificate, key] = [join(folder, 'server.crt'), join(folder, 'server.key')];
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
        ...['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate],
      ],
      { stdio: 'ignore' },
    );
    copyFileSync(certificate, join(folder, 'root.crt'));
    chmodSync(key, 0o600);
    ownForServer(key);
    port = await freePort();
    const settings = { fsync: 'off', ssl: 'on', ssl_cert_file: certificate, ssl_key_file: key };
    cluster = await PostgresCluster.start({ folder: server, programs: programs ?? '', settings, port });
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function isEncrypted(host: string, parameters: string): Promise<boolean | undefined> {
    const address = parsePostgresAddress(`postgres://logmill@${host}:${port}/postgres?${parameters}`);
    const pool = await PostgresPool.open(address, patientWaits);
    try {
      const rows = await pool.query<{ readonly ssl: boolean }>(
        'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
      );
      return rows[0]?.ssl;
    } finally {
      await pool.end();
    }
  }
  const root = () => `sslrootcert=${join(folder, 'root.crt')}`;

  it('is encrypted as the URL asks', async () => {
    expect(await isEncrypted('localhost', 'sslmode=disable')).toBe(false);
    expect(await isEncrypted('localhost', 'sslmode=require')).toBe(true);
    expect(await isEncrypted('localhost', root())).toBe(true);
    expect(await isEncrypted('127.0.0.1', `sslmode=verify-ca&${root()}`)).toBe(true);
  });

  it.each([
    ['of another host', '127.0.0.1', () => `sslmode=verify-full&${root()}`],
    ['of an unknown authority', 'localhost', () => 'sslmode=verify-full'],
  ])('is refused with a certificate %s', async (_what, host, parameters) => {
    await expect(isEncrypted(host, parameters())).rejects.toMatchObject({ code: 'service.store_unavailable' });
  });
});
