import { createHash } from 'node:crypto';
import { addressLabel } from './postgresAddress.ts';
import type { PooledConnection, PostgresPool } from './postgresPool.ts';

/**
 * A step of the schema. It may only add: nodes of the release before go on working while others are upgraded. What they
 * do not use any more is removed by the release after that, whose step names them as too old in `oldest`.
 */
export interface PostgresMigration {
  readonly name: string;
  /** The last step that a node must know to use the schema after this one. */
  readonly oldest: string;
  /** Statements, run in one transaction with all other new steps. */
  readonly statements: readonly string[];
}

/** The schema has steps that this release may not be used with. Shown as it is. */
export class NewerPostgresStore extends Error {
  constructor(label: string, release: string) {
    super(
      `${label} was upgraded by Logmill ${release}, and this older version can no longer use it; upgrade this node, or restore a dump of the database from before.`,
    );
    this.name = 'NewerPostgresStore';
  }
}

/**
 * Brings the schema of the address to the last of `migrations`. Nodes that start at once wait for each other. If it has
 * later steps, they must allow this node.
 *
 * @throws NewerPostgresStore if they do not
 */
export async function migrate(
  pool: PostgresPool,
  migrations: readonly PostgresMigration[],
  release: string,
): Promise<void> {
  const connection = await pool.connect();
  try {
    // Most starts end here, with one read.
    const done = await stepsDone(connection, pool.address.schema);
    if (done !== undefined && isUsable(pool, done, migrations)) return;
    await connection.query('begin', []);
    try {
      await connection.query('set local lock_timeout = 0; set local statement_timeout = 0', []);
      await connection.query('select pg_advisory_xact_lock($1)', [lockOf(pool.address.schema)], migrationMsMax);
      await applyMissing(connection, pool, migrations, release);
      await connection.query('commit', []);
    } catch (error) {
      await connection.query('rollback', []).catch(() => undefined);
      throw error;
    }
  } finally {
    connection.release();
  }
}

/** Longest wait for one statement of a step, and for the steps of another node. */
const migrationMsMax = 3_600_000;

/** A step that the schema has. */
export interface StepDone {
  readonly name: string;
  readonly release: string;
  readonly oldest: string;
}

async function applyMissing(
  connection: PooledConnection,
  pool: PostgresPool,
  migrations: readonly PostgresMigration[],
  release: string,
): Promise<void> {
  const { schema } = pool.address;
  const known = await stepsDone(connection, schema);
  if (known === undefined) {
    const { rows } = await connection.query('select 1 from pg_namespace where nspname = $1', [schema]);
    if (rows.length === 0) await connection.query(`create schema "${schema}"`, []);
    await connection.query(
      'create table schema_steps (name text collate "C" primary key, release text not null, oldest text not null, applied_at timestamptz not null default now())',
      [],
    );
  }
  const done = known ?? [];
  if (isUsable(pool, done, migrations)) return;
  for (const { name, oldest, statements } of migrations) {
    if (done.some((step) => step.name === name)) continue;
    for (const statement of statements) await connection.query(statement, [], migrationMsMax);
    await connection.query('insert into schema_steps (name, release, oldest) values ($1, $2, $3)', [
      name,
      release,
      oldest,
    ]);
  }
}

/** Whether nothing is left to do. Throws if a later step excludes this node. */
function isUsable(pool: PostgresPool, done: readonly StepDone[], migrations: readonly PostgresMigration[]): boolean {
  requireUsable(pool, done, migrations);
  return migrations.every(({ name }) => done.some((step) => step.name === name));
}

/** Throws NewerPostgresStore if the schema has a step that nodes with only these migrations may not be used with. */
export function requireUsable(
  { address }: Pick<PostgresPool, 'address'>,
  done: readonly StepDone[],
  migrations: readonly PostgresMigration[],
): void {
  const known = new Set(migrations.map(({ name }) => name));
  const tooNew = done.find(({ name, oldest }) => !known.has(name) && !known.has(oldest));
  if (tooNew !== undefined) throw new NewerPostgresStore(addressLabel(address), tooNew.release);
}

/** The steps that the schema has; undefined if it has no store yet. */
export async function stepsOf(pool: PostgresPool): Promise<readonly StepDone[] | undefined> {
  const connection = await pool.connect();
  try {
    return await stepsDone(connection, pool.address.schema);
  } finally {
    connection.release();
  }
}

/** Undefined if the schema has no store yet. */
async function stepsDone(connection: PooledConnection, schema: string): Promise<readonly StepDone[] | undefined> {
  const { rows } = await connection.query(
    "select 1 from pg_tables where schemaname = $1 and tablename = 'schema_steps'",
    [schema],
  );
  if (rows.length === 0) return undefined;
  return (await connection.query('select name, release, oldest from schema_steps order by name', []))
    .rows as StepDone[];
}

/** The number of an advisory lock, which are shared by all schemas of a database. */
function lockOf(schema: string): string {
  return createHash('sha256').update(`logmill migrations ${schema}`).digest().readBigInt64BE(0).toString();
}
