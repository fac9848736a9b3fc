import { createHash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { StoreDatabase, StoreSchema } from './schema.ts';

interface CopiedTable {
  readonly name: keyof StoreSchema;
  /** The columns that order its rows. */
  readonly order: readonly string[];
  /** A column that the target's database assigns. */
  readonly assigned?: string;
}

const endpointVersions: CopiedTable = { name: 'endpoint_versions', order: ['endpoint_id', 'version'] };
const tokens: CopiedTable = { name: 'tokens', order: ['public_id'] };

/** A table follows those that its rows refer to. */
const definitionTables: readonly CopiedTable[] = [
  { name: 'endpoints', order: ['id'] },
  endpointVersions,
  tokens,
  { name: 'sources', order: ['name'] },
  { name: 'existing_tables', order: ['source'] },
  { name: 'source_aliases', order: ['alias'] },
  { name: 'retention_rules', order: ['source', 'project'] },
  { name: 'page_secrets', order: ['month'] },
];

const eventNumbers: CopiedTable = { name: 'event_numbers', order: ['row'] };

/** What belongs to events that are not in the data folder. */
const eventTables: readonly CopiedTable[] = [
  { name: 'retention_marks', order: ['source', 'project'] },
  { name: 'event_deletions', order: ['boundary'] },
  { name: 'event_deletion_sources', order: ['boundary', 'source'] },
  eventNumbers,
  { name: 'event_commits', order: ['first'] },
  { name: 'event_batches', order: ['key'] },
  { name: 'event_nodes', order: ['node'] },
];

const auditTrail: CopiedTable = { name: 'audit_trail', order: ['sequence'], assigned: 'sequence' };

/** Rows read and written at once. SQLite allows 32,766 values in a statement; no table has more than 14 columns. */
const pageRows = 500;

type Row = Readonly<Record<string, unknown>>;

/** The number of rows that the target has now, by table. */
export type CopiedRows = ReadonlyMap<string, number>;

/**
 * Copies what one store holds into another one, in one transaction on each side: endpoints with all versions, tokens,
 * sources, retention rules, secrets of cursors and the audit trail; with `withEvents`, also what belongs to events
 * outside the data folder, if the source has a ledger of them. Sessions are not copied, and those of the target end: users
 * may have signed out of them in the source, as far as they knew. So everyone signs in again.
 *
 * The target must be empty or an earlier state of the source. The audit trail tells: it records every change by users, so
 * that of an earlier state is the beginning of that of the source. Then nothing is lost when the rest is replaced.
 *
 * @throws OtherStore for any other target, CopyDiffers if the copy, read back, is not equal; the target is unchanged
 */
export async function copyDefinitions(
  from: StoreDatabase,
  into: StoreDatabase,
  withEvents: boolean,
): Promise<CopiedRows> {
  return await from.transaction().execute(
    async (source) =>
      await into.transaction().execute(async (target) => {
        // First, so that no other change of either store can begin.
        await countAsChange(source, target);
        await requireEarlier(source, target);
        // Without a ledger, the events of the source are in its folder, and the ledger in the target belongs to others: it
        // hides those of commits that did not end.
        const hasLedger = withEvents && (await countRows(source, eventNumbers)) > 0;
        const tables = hasLedger ? [...definitionTables, ...eventTables] : definitionTables;
        await target.deleteFrom('sessions').execute();
        for (const table of tables.toReversed()) await sql`delete from ${sql.table(table.name)}`.execute(target);
        const rows = new Map<string, number>();
        for (const table of [...tables, auditTrail]) rows.set(table.name, await copyTable(source, target, table));
        return rows;
      }),
  );
}

type Store = Transaction<StoreSchema>;

/** @throws OtherStore unless the other store is empty or an earlier state of `latest`, as for `copyDefinitions` */
export async function requireEarlierState(latest: StoreDatabase, other: StoreDatabase): Promise<void> {
  await latest
    .transaction()
    .execute(
      async (source) => await other.transaction().execute(async (target) => await requireEarlier(source, target)),
    );
}

async function requireEarlier(source: Store, target: Store): Promise<void> {
  const known = await countRows(target, auditTrail);
  if ((await digestOf(source, auditTrail, known)) !== (await digestOf(target, auditTrail, known)))
    throw new OtherStore(known === 0);
  // The service does not record what it does itself at its start: it ships definitions, and makes and revokes configured
  // tokens.
  const present = await lastingFacts(source);
  for (const fact of await lastingFacts(target)) {
    if (!present.has(fact)) throw new OtherStore(known === 0);
  }
}

/** Digests of what no change takes back: versions, tokens, and that a token is revoked. */
async function lastingFacts(store: Store): Promise<ReadonlySet<string>> {
  const facts = new Set<string>();
  const add = (...values: readonly unknown[]) =>
    facts.add(createHash('sha256').update(JSON.stringify(values)).digest('base64'));
  for await (const page of pagesOf(store, endpointVersions, 0)) {
    for (const row of page) add('version', row.endpoint_id, row.version, row.definition, row.created_at);
  }
  for await (const page of pagesOf(store, tokens, 0)) {
    for (const row of page) {
      add('token', row.public_id);
      if (row.revoked_at !== null) add('revoked', row.public_id);
    }
  }
  return facts;
}

async function countRows(store: Store, { name }: CopiedTable): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`select count(*) as count from ${sql.table(name)}`.execute(
    store,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Appends the rows of the source that the target does not have yet, and reads all of them back. */
async function copyTable(source: Store, target: Store, table: CopiedTable): Promise<number> {
  const written = await countRows(target, table);
  for await (const page of pagesOf(source, table, written)) {
    const columns = Object.keys(page[0] ?? {});
    const values = page.map((row) => sql`(${sql.join(columns.map((column) => sql.val(row[column])))})`);
    await sql`insert into ${sql.table(table.name)} (${sql.join(columns.map((column) => sql.ref(column)))}) values ${sql.join(values)}`.execute(
      target,
    );
  }
  const count = await countRows(source, table);
  const isEqual = (await countRows(target, table)) === count;
  if (!isEqual || (await digestOf(source, table, count)) !== (await digestOf(target, table, count))) {
    throw new CopyDiffers(table.name);
  }
  return count;
}

/** The rows after the first `skipped` ones, in order, without the column that the database assigns. */
async function* pagesOf(
  store: Store,
  { name, order, assigned }: CopiedTable,
  skipped: number,
): AsyncGenerator<readonly Row[]> {
  const columns = sql.join(order.map((column) => sql.ref(column)));
  let last: Row | undefined;
  for (;;) {
    const start =
      last === undefined
        ? sql`order by ${columns} limit ${pageRows} offset ${skipped}`
        : sql`where (${columns}) > (${sql.join(order.map((column) => sql.val(last?.[column])))}) order by ${columns} limit ${pageRows}`;
    const { rows } = await sql<Row>`select * from ${sql.table(name)} ${start}`.execute(store);
    last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== assigned)));
  }
}

async function digestOf(store: Store, table: CopiedTable, count: number): Promise<string> {
  const hash = createHash('sha256');
  let left = count;
  for await (const page of pagesOf(store, table, 0)) {
    for (const row of page.slice(0, left)) hash.update(JSON.stringify(Object.entries(row).sort(byName)));
    left -= page.length;
    if (left <= 0) break;
  }
  return hash.digest('hex');
}

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

/** Holds back changes of the source, and counts one of the target for each subject, so that whoever follows it reads it again. */
async function countAsChange(source: Store, target: Store): Promise<void> {
  await source
    .updateTable('generations')
    .set((row) => ({ generation: row.ref('generation') }))
    .execute();
  for (const { subject, generation } of await source.selectFrom('generations').selectAll().execute()) {
    await target
      .insertInto('generations')
      .values({ subject, generation: generation + 1 })
      .onConflict((conflict) =>
        conflict
          .column('subject')
          .doUpdateSet((row) => ({ generation: row('generations.generation', '+', generation + 1) })),
      )
      .execute();
  }
}

/** The target holds something that the source lacks. */
export class OtherStore extends Error {
  /** Whether its audit trail is empty, as after a service has only started on an empty store. */
  readonly isUntouched: boolean;

  constructor(isUntouched: boolean) {
    super('the target holds what the source lacks');
    this.isUntouched = isUntouched;
  }
}

/** A table of the target, read back, has other rows than that of the source. */
export class CopyDiffers extends Error {
  readonly table: string;

  constructor(table: string) {
    super(`the copy of ${table} is not equal`);
    this.table = table;
  }
}
