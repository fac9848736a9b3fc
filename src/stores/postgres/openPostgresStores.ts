import type { Client } from 'pg';
import type { AuditTrail } from '../../audit/auditTrail.ts';
import type { EndpointStore } from '../../endpoints/endpointStore.ts';
import type { SharedSubject } from '../../ports/changeFeed.ts';
import type { PageSecretStore } from '../../ports/pageSecrets.ts';
import type { StoreContact } from '../../ports/storeContact.ts';
import type { DeletionStore } from '../../retention/eventDeletion.ts';
import type { RetentionStore } from '../../retention/retentionStore.ts';
import type { SessionStore } from '../../sessions/sessionStore.ts';
import type { SourceStore } from '../../sources/sourceStore.ts';
import type { TokenStore } from '../../tokens/tokenStore.ts';
import { SqlAuditTrail } from '../sql/sqlAuditTrail.ts';
import { SqlDeletionStore } from '../sql/sqlDeletionStore.ts';
import { SqlEndpointStore } from '../sql/sqlEndpointStore.ts';
import { SqlPageSecrets } from '../sql/sqlPageSecrets.ts';
import { SqlRetentionStore } from '../sql/sqlRetentionStore.ts';
import { SqlSessionStore } from '../sql/sqlSessionStore.ts';
import { SqlSourceStore } from '../sql/sqlSourceStore.ts';
import { SqlTokenStore } from '../sql/sqlTokenStore.ts';
import { FollowedGenerations, type StoredCount } from './followedGenerations.ts';
import { requireUsable, type StepDone } from './migrate.ts';
import { postgresMigrations } from './migrations/index.ts';
import { openPostgres, type PostgresInputs, type PostgresStore } from './openPostgres.ts';
import { within } from './postgresClient.ts';
import { rethrow } from './postgresError.ts';

export interface PostgresStoresInputs extends PostgresInputs {
  /** How long calls go on with what is known while the store does not answer. */
  readonly staleMsMax: number;
  readonly lost: (cause: unknown) => void;
  readonly recovered: (awayMs: number) => void;
  /** Called about once a minute while it is lost. */
  readonly stillLost: (awayMs: number, cause: unknown) => void;
  /** Called if the store has another history than before, because an older copy was restored. */
  readonly wentBack: () => void;
}

/** The stores of one node, which notices the changes of all others within a second. */
export interface PostgresStores {
  readonly endpoints: EndpointStore;
  readonly tokens: TokenStore;
  readonly sessions: SessionStore;
  readonly audit: AuditTrail;
  readonly sources: SourceStore;
  readonly retention: RetentionStore;
  readonly deletions: DeletionStore;
  readonly pageSecrets: PageSecretStore;
  /** The connections, for what else nodes share. */
  readonly store: PostgresStore;
  readonly contact: () => StoreContact;
  /** How often this node may have missed what the store held: it did not answer, or an older copy of it was restored. */
  readonly interruptions: () => number;
  /** Calls `listener` after each change of a subject that this node notices, its own included. One for each subject. */
  onChange(subject: SharedSubject, listener: () => void): void;
  /** The change count of a subject, so that what is loaded afterwards is not older. */
  generation(subject: SharedSubject): Promise<number>;
  /** Runs `work` while no other node runs such work: what nodes do when they start. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How long to wait for the change counts; a server that takes longer counts as away. */
const countsMs = 1_000;
/** How long to wait for other nodes that start. */
const startMsMax = 600_000;

/** Opens the store and follows its changes. Throws like `openPostgres`. */
export async function openPostgresStores(inputs: PostgresStoresInputs): Promise<PostgresStores> {
  const store = await openPostgres(inputs);
  const { timer, staleMsMax, lost, recovered, stillLost, wentBack } = inputs;
  const readAll = () => readCounts(store);
  const followed = new FollowedGenerations({ readAll, timer, staleMsMax, lost, recovered, stillLost, wentBack });
  // A lost listener alone is no reason to report: the counts are still read.
  const listener = store.listener({ connected: () => void followed.refresh(), lost: () => undefined });
  listener.on(`${inputs.address.schema}_generations`, (payload) => followed.notified(payload));
  const close = async () => {
    followed.close();
    await listener.close();
    await store.close();
  };
  try {
    await followed.start();
    await listener.start();
  } catch (error) {
    await close();
    throw error;
  }
  const { database } = store;
  return {
    endpoints: new SqlEndpointStore(database, followed),
    tokens: new SqlTokenStore(database, followed),
    sessions: new SqlSessionStore(database, followed),
    audit: new SqlAuditTrail(database),
    sources: new SqlSourceStore(database, followed),
    retention: new SqlRetentionStore(database, followed),
    deletions: new SqlDeletionStore(database, followed),
    pageSecrets: new SqlPageSecrets(database),
    store,
    contact: () => followed.contact,
    interruptions: () => followed.interruptions,
    onChange: (subject, heard) => followed.onChange(subject, heard),
    generation: (subject) => followed.read(subject),
    alone: (work) => alone(store, work),
    close,
  };
}

interface CountOrStep {
  readonly name: string;
  /** Null for a step of the schema. */
  readonly generation: number | null;
  readonly mark: string;
  readonly release: string;
  readonly oldest: string;
}

const countsAndSteps = `select subject as name, generation, mark, '' as release, '' as oldest from generations
  union all select name, null, '', release, oldest from schema_steps`;

/** Reads the change counts. Rejects if a newer node has upgraded the schema beyond what this one can use. */
async function readCounts({ pool }: PostgresStore): Promise<ReadonlyMap<string, StoredCount>> {
  const rows = await pool.query<CountOrStep>(countsAndSteps, [], countsMs);
  requireUsable(pool, rows.filter(({ generation }) => generation === null) as readonly StepDone[], postgresMigrations);
  return new Map(
    rows.flatMap(({ name, generation, mark }) => (generation === null ? [] : [[name, { generation, mark }] as const])),
  );
}

async function takeStartLock(client: Client, schema: string): Promise<void> {
  await client.query('set lock_timeout = 0; set statement_timeout = 0');
  await client.query({
    text: 'select pg_advisory_lock(hashtextextended($1, 0))',
    values: [`logmill start ${schema}`],
    ...within(startMsMax),
  });
}

async function alone<T>({ pool }: PostgresStore, work: () => Promise<T>): Promise<T> {
  const client = await pool.connectAlone().catch(rethrow);
  try {
    await takeStartLock(client, pool.address.schema).catch(rethrow);
    return await work();
  } finally {
    // The server releases the lock with the connection.
    await client.end();
  }
}
