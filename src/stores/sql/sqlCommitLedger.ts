import type { Transaction } from 'kysely';
import { batchFingerprint } from '../../ports/batchFingerprint.ts';
import {
  type ArrivalRange,
  type Begun,
  type BegunBatch,
  type CommitLedger,
  identityAgeMs,
  identityCountMin,
  type LedgerBatch,
  type LedgerState,
  LedgerWentBack,
  type NodeMarks,
} from '../../ports/commitLedger.ts';
import { pageIdentitiesMax, type StoredIdentity } from '../../ports/eventCopies.ts';
import type { BatchIdentity } from '../../ports/eventLog.ts';
import type { StoreDatabase, StoreSchema } from './schema.ts';

/** The ledger of commits in the store's database. */
export class SqlCommitLedger implements CommitLedger {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async begin(node: string, batches: readonly LedgerBatch[], nowMicros: number, known = 0): Promise<Begun> {
    return await this.#database.transaction().execute(async (transaction) => {
      // First, so that PostgreSQL holds the row until the commit, and commits are begun one after another.
      const first = await takeNumbers(transaction, 0, known);
      await abandon(transaction, [node], nowMicros);
      let next = first;
      const begun: BegunBatch[] = [];
      for (const { identity, events } of batches) {
        const known = identity === null ? null : await find(transaction, identity);
        if (known !== null) {
          begun.push(known);
          continue;
        }
        begun.push({ kind: 'begun', first: next });
        next += events;
        if (identity !== null) await remember(transaction, identity, first, nowMicros);
      }
      if (begun.every(({ kind }) => kind !== 'begun')) return { commit: null, batches: begun };
      // A commit without events has a number too, which names it.
      const end = Math.max(next, first + 1);
      await takeNumbers(transaction, end - first, known);
      await transaction.insertInto('event_commits').values({ first, end, node, abandoned_at: null }).execute();
      await hear(transaction, node, nowMicros);
      return { commit: first, batches: begun };
    });
  }

  async complete(commit: number, node: string, nowMicros: number): Promise<LedgerState | null> {
    return await this.#database.transaction().execute(async (transaction) => {
      const completed = await transaction
        .deleteFrom('event_commits')
        .where('first', '=', commit)
        .where('abandoned_at', 'is', null)
        .returning('first')
        .execute();
      if (completed.length > 0) {
        await transaction
          .updateTable('event_batches')
          .set({ commit_first: null, stored_at: nowMicros })
          .where('commit_first', '=', commit)
          .execute();
        await hear(transaction, node, nowMicros);
      }
      const state = await stateOf(transaction);
      return state.hidden.some(({ first }) => first === commit) ? null : state;
    });
  }

  async abandon(node: string, nowMicros: number): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      // Waits in PostgreSQL for a `begin` that is still being committed after its caller lost the connection.
      await takeNumbers(transaction, 0, 0);
      await abandon(transaction, [node], nowMicros);
    });
  }

  async recall(identity: Pick<BatchIdentity, 'key' | 'digest'>) {
    return await find(this.#database, identity);
  }

  async *identities(): AsyncGenerator<readonly StoredIdentity[]> {
    let last: StoredIdentity | undefined;
    for (;;) {
      const rows = await this.#database
        .selectFrom('event_batches')
        .select(['key', 'digest', 'answer', 'stored_at'])
        .where('commit_first', 'is', null)
        .$if(last !== undefined, (query) =>
          query.where(({ eb, or, and }) =>
            or([
              eb('stored_at', '>', last?.storedMicros ?? 0),
              and([eb('stored_at', '=', last?.storedMicros ?? 0), eb('key', '>', last?.key ?? '')]),
            ]),
          ),
        )
        .orderBy('stored_at')
        .orderBy('key')
        .limit(pageIdentitiesMax)
        .execute();
      const page = rows.map(({ stored_at, ...row }): StoredIdentity => ({ ...row, storedMicros: stored_at }));
      last = page.at(-1);
      if (last === undefined) return;
      yield page;
    }
  }

  async remember(identities: readonly StoredIdentity[]): Promise<void> {
    await this.#database.transaction().execute(async (transaction) => {
      for (const { storedMicros, ...row } of identities) {
        const batch = { ...row, commit_first: null, stored_at: storedMicros };
        await transaction
          .insertInto('event_batches')
          .values(batch)
          .onConflict((conflict) => conflict.column('key').doUpdateSet(batch))
          .execute();
      }
    });
  }

  async takeNumber(known = 0): Promise<number> {
    return await this.#database.transaction().execute(async (transaction) => await takeNumbers(transaction, 1, known));
  }

  async skip(number: number): Promise<void> {
    await this.#database
      .insertInto('event_numbers')
      .values({ row: 1, next: number + 1 })
      .onConflict((conflict) =>
        conflict
          .column('row')
          .doUpdateSet({ next: number + 1 })
          .where('event_numbers.next', '<=', number),
      )
      .execute();
  }

  async state(): Promise<LedgerState> {
    return await stateOf(this.#database);
  }

  async hear(node: string, nowMicros: number, silent: NodeMarks = new Map()): Promise<NodeMarks> {
    return await this.#database.transaction().execute(async (transaction) => {
      await hear(transaction, node, nowMicros);
      const dead = [];
      for (const [name, mark] of silent) {
        const row = transaction.deleteFrom('event_nodes').where('node', '=', name).where('heard_at', '=', mark);
        dead.push(...(await row.returning('node').execute()));
      }
      await abandon(
        transaction,
        dead.map((each) => each.node),
        nowMicros,
      );
      await forgetIdentities(transaction, nowMicros);
      const others = await transaction.selectFrom('event_nodes').selectAll().where('node', '!=', node).execute();
      return new Map(others.map((each) => [each.node, each.heard_at]));
    });
  }

  async abandonedBefore(micros: number): Promise<readonly ArrivalRange[]> {
    const commits = await this.#database
      .selectFrom('event_commits')
      .select(['first', 'end'])
      .where('abandoned_at', '<', micros)
      .orderBy('first')
      .execute();
    return commits.map(rangeOf);
  }

  async forget(ranges: readonly ArrivalRange[]): Promise<void> {
    if (ranges.length === 0) return;
    const firsts = ranges.map(({ first }) => first);
    await this.#database
      .deleteFrom('event_commits')
      .where('first', 'in', firsts)
      .where('abandoned_at', 'is not', null)
      .execute();
  }

  async lease(work: string, node: string, nowMicros: number, untilMicros: number): Promise<boolean> {
    const held = await this.#database
      .insertInto('event_leases')
      .values({ work, node, until: untilMicros })
      .onConflict((conflict) =>
        conflict
          .column('work')
          .doUpdateSet({ node, until: untilMicros })
          .where((row) => row.or([row('event_leases.node', '=', node), row('event_leases.until', '<=', nowMicros)])),
      )
      .returning('node')
      .execute();
    return held.length > 0;
  }

  async release(work: string, node: string): Promise<void> {
    await this.#database.deleteFrom('event_leases').where('work', '=', work).where('node', '=', node).execute();
  }
}

const firstNumber = 1;

async function stateOf(database: StoreDatabase | Transaction<StoreSchema>): Promise<LedgerState> {
  // In this order: a commit that is begun in between has higher numbers than `end`.
  const numbers = await database.selectFrom('event_numbers').select('next').executeTakeFirst();
  const commits = await database
    .selectFrom('event_commits')
    .select(['first', 'end', 'abandoned_at'])
    .orderBy('first')
    .execute();
  const end = numbers?.next ?? firstNumber;
  const open = commits.find(({ abandoned_at }) => abandoned_at === null);
  return { end, hidden: commits.map(rangeOf), watermark: Math.min(open?.first ?? end, end) };
}

/** Takes numbers and returns the first one. Throws LedgerWentBack if that is below `known`. */
async function takeNumbers(transaction: Transaction<StoreSchema>, count: number, known: number): Promise<number> {
  const { next } = await transaction
    .insertInto('event_numbers')
    .values({ row: 1, next: firstNumber + count })
    .onConflict((conflict) =>
      conflict.column('row').doUpdateSet((row) => ({ next: row('event_numbers.next', '+', count) })),
    )
    .returning('next')
    .executeTakeFirstOrThrow();
  const first = next - count;
  if (first < known) throw new LedgerWentBack(`the ledger is at ${first}, and was at ${known}`);
  return first;
}

async function abandon(
  transaction: Transaction<StoreSchema>,
  nodes: readonly string[],
  nowMicros: number,
): Promise<void> {
  if (nodes.length === 0) return;
  const commits = await transaction
    .updateTable('event_commits')
    .set({ abandoned_at: nowMicros })
    .where('node', 'in', nodes)
    .where('abandoned_at', 'is', null)
    .returning('first')
    .execute();
  if (commits.length === 0) return;
  const firsts = commits.map(({ first }) => first);
  await transaction.deleteFrom('event_batches').where('commit_first', 'in', firsts).execute();
}

async function hear(transaction: Transaction<StoreSchema>, node: string, nowMicros: number): Promise<void> {
  await transaction
    .insertInto('event_nodes')
    .values({ node, heard_at: nowMicros })
    .onConflict((conflict) =>
      conflict.column('node').doUpdateSet(({ eb }) => ({
        // Another number each time, also if the clock was put back.
        heard_at: eb
          .case()
          .when('event_nodes.heard_at', '<', nowMicros)
          .then(nowMicros)
          .else(eb('event_nodes.heard_at', '+', 1))
          .end(),
      })),
    )
    .execute();
}

async function find(
  database: StoreDatabase | Transaction<StoreSchema>,
  { key, digest }: Pick<BatchIdentity, 'key' | 'digest'>,
): Promise<Exclude<BegunBatch, { readonly kind: 'begun' }> | null> {
  const known = await database
    .selectFrom('event_batches')
    .select(['digest', 'answer', 'commit_first'])
    .where('key', '=', batchFingerprint(key))
    .executeTakeFirst();
  if (known === undefined) return null;
  if (known.commit_first !== null) return { kind: 'pending' };
  return known.digest === batchFingerprint(digest) ? { kind: 'duplicate', answer: known.answer } : { kind: 'conflict' };
}

async function remember(
  transaction: Transaction<StoreSchema>,
  { key, digest, answer }: BatchIdentity,
  first: number,
  nowMicros: number,
): Promise<void> {
  const row = { digest: batchFingerprint(digest), answer, commit_first: first, stored_at: nowMicros };
  await transaction
    .insertInto('event_batches')
    .values({ key: batchFingerprint(key), ...row })
    .execute();
}

async function forgetIdentities(transaction: Transaction<StoreSchema>, nowMicros: number): Promise<void> {
  const kept = await transaction
    .selectFrom('event_batches')
    .select('stored_at')
    .where('commit_first', 'is', null)
    .orderBy('stored_at', 'desc')
    .offset(identityCountMin - 1)
    .limit(1)
    .executeTakeFirst();
  if (kept === undefined) return;
  const before = Math.min(kept.stored_at, nowMicros - identityAgeMs * 1000);
  await transaction
    .deleteFrom('event_batches')
    .where('commit_first', 'is', null)
    .where('stored_at', '<', before)
    .execute();
}

function rangeOf({ first, end }: ArrivalRange): ArrivalRange {
  return { first, end };
}
