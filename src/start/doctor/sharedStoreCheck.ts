import { isIP } from 'node:net';
import { ServiceError } from '../../core/errors.ts';
import { addressLabel, type PostgresAddress, parsePostgresAddress } from '../../stores/postgres/postgresAddress.ts';
import type { PostgresPool } from '../../stores/postgres/postgresPool.ts';
import { isShared } from '../definitionStores.ts';
import type { Settings } from '../settings.ts';
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts';
import { checkNodes } from './nodesCheck.ts';

/** Checks the PostgreSQL database of `store` without changing it; nothing for the embedded store. */
export async function checkSharedStore(settings: Settings): Promise<readonly Finding[]> {
  if (!isShared(settings)) return [];
  const address = parsePostgresAddress(settings.store);
  const { PostgresPool } = await import('../../stores/postgres/postgresPool.ts');
  let pool: PostgresPool | undefined;
  try {
    pool = await PostgresPool.open(address);
    return [await server(pool), await schema(pool), await checkNodes(pool), encryption(address)];
  } catch (error) {
    return [unreachable(error, address)];
  } finally {
    await pool?.end();
  }
}

/** The oldest release of PostgreSQL that the store is tested with. */
const oldestServer = 15;

async function server(pool: PostgresPool): Promise<Finding> {
  const [found] = await pool.query<{ readonly version: string; readonly standby: boolean }>(
    "select current_setting('server_version') as version, pg_is_in_recovery() as standby",
  );
  const version = found?.version ?? '';
  const label = addressLabel(pool.address);
  if (found?.standby === true) {
    return fail(
      'shared store',
      `${label} is a standby, which accepts no changes.`,
      'Name the primary server in LOGMILL_STORE, or an address that follows it.',
    );
  }
  if (Number.parseInt(version, 10) >= oldestServer)
    return ok('shared store', `PostgreSQL ${version} answers: ${label}.`);
  return warn(
    'shared store',
    `${label} is PostgreSQL ${version}; the store is tested with ${oldestServer} and newer.`,
    'Upgrade the server.',
  );
}

async function schema(pool: PostgresPool): Promise<Finding> {
  const { postgresMigrations } = await import('../../stores/postgres/migrations/index.ts');
  const { NewerPostgresStore, requireUsable, stepsOf } = await import('../../stores/postgres/migrate.ts');
  const done = await stepsOf(pool);
  if (done === undefined) {
    const [may] = await pool.query<{ readonly may: boolean }>(
      `select coalesce(has_schema_privilege(to_regnamespace($1), 'create'),
        has_database_privilege(current_database(), 'create')) as may`,
      [pool.address.schema],
    );
    if (may?.may === true)
      return ok('shared schema', 'No service has used the store yet; the first start creates its tables.');
    return fail(
      'shared schema',
      `The user ${pool.address.user} may not create the schema ${pool.address.schema} or tables in it.`,
      `As an administrator of the database: CREATE SCHEMA ${pool.address.schema} AUTHORIZATION "${pool.address.user}".`,
    );
  }
  try {
    requireUsable(pool, done, postgresMigrations);
  } catch (error) {
    if (!(error instanceof NewerPostgresStore)) throw error;
    return fail('shared schema', `${error.message[0]?.toUpperCase()}${error.message.slice(1)}`, 'Upgrade this node.');
  }
  const missing = postgresMigrations.filter(({ name }) => !done.some((step) => step.name === name));
  return ok(
    'shared schema',
    missing.length === 0 ? 'The tables are those of this version.' : 'The next start upgrades the tables.',
  );
}

function encryption({ host, tls }: PostgresAddress): Finding {
  const isHere = host.startsWith('/') || host === 'localhost' || (isIP(host) !== 0 && /^(127\.|::1$)/.test(host));
  if (isHere || tls.mode === 'verify-ca' || tls.mode === 'verify-full') {
    return ok(
      'shared store TLS',
      isHere ? 'The database is on this machine.' : 'The certificate of the server is checked.',
    );
  }
  return warn(
    'shared store TLS',
    tls.mode === 'disable'
      ? `The connection to ${host} is not encrypted.`
      : `The connection to ${host} is encrypted, but whose server it is, is not checked.`,
    'Add sslmode=verify-full to LOGMILL_STORE, with sslrootcert=<file> if the certificate has an authority of your own.',
  );
}

function unreachable(error: unknown, address: PostgresAddress): Finding {
  const cause = error instanceof ServiceError && error.cause !== undefined ? error.cause : error;
  return fail(
    'shared store',
    `The store cannot be used: ${addressLabel(address)}: ${reasonOf(cause)}.`,
    'Check the address, user and password in LOGMILL_STORE, and that the server accepts connections from this machine.',
  );
}
