import type { Selectable } from 'kysely';
import { type AuditOf, unaudited } from '../../audit/auditTrail.ts';
import { type SessionRecord, type SessionStore, sessionsOfTokenMax } from '../../sessions/sessionStore.ts';
import type { TokenRecord } from '../../tokens/tokenStore.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreDatabase } from './schema.ts';
import type { SessionTables } from './sessionTables.ts';
import { insertToken } from './sqlTokenStore.ts';

type Row = Selectable<SessionTables['sessions']>;

/** Sessions in the store's database. They count as changes of the tokens, which every node follows already. */
export class SqlSessionStore implements SessionStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;
  readonly #bySecret: RepeatedSelect<Row>;
  readonly #ofTokenMax: number;

  constructor(database: StoreDatabase, generations?: GenerationSource, ofTokenMax = sessionsOfTokenMax) {
    this.#database = database;
    this.#ofTokenMax = ofTokenMax;
    this.#generation = new Generation(database, 'tokens', generations);
    this.#bySecret = new RepeatedSelect(
      database,
      database.selectFrom('sessions').selectAll().where('secret_hash', '=', ''),
    );
  }

  generation(): Promise<number> {
    return this.#generation.read();
  }

  get changesSeen(): number {
    return this.#generation.changesSeen;
  }

  async create(
    record: SessionRecord,
    auditOf: AuditOf<SessionRecord> = unaudited,
    newToken?: TokenRecord,
  ): Promise<void> {
    const isFull = (await this.#liveOf(record)) >= this.#ofTokenMax;
    const insert: Parameters<Generation['change']>[0] = async (transaction) => {
      await transaction.deleteFrom('sessions').where('expires_at', '<=', record.createdAtMicros).execute();
      if (isFull) {
        const newest = transaction
          .selectFrom('sessions')
          .select('secret_hash')
          .where('token_id', '=', record.tokenId)
          .orderBy('created_at', 'desc')
          .limit(this.#ofTokenMax - 1);
        await transaction
          .deleteFrom('sessions')
          .where('token_id', '=', record.tokenId)
          .where('secret_hash', 'not in', newest)
          .execute();
      }
      if (newToken !== undefined) await insertToken(transaction, newToken);
      await transaction
        .insertInto('sessions')
        .values({
          secret_hash: record.secretHash,
          token_id: record.tokenId,
          token_hash: record.tokenHash,
          created_at: record.createdAtMicros,
          expires_at: record.expiresAtMicros,
        })
        .execute();
      await insertAuditEvents(transaction, auditOf(record));
    };
    // No node holds a new session in memory, so only an ended one, or a new token, is a change.
    await (isFull || newToken !== undefined ? this.#generation.change(insert) : this.#generation.unseen(insert));
  }

  async find(secretHash: string): Promise<SessionRecord | undefined> {
    const row = await this.#bySecret.first(secretHash);
    if (row === undefined) return undefined;
    return {
      secretHash: row.secret_hash,
      tokenId: row.token_id,
      tokenHash: row.token_hash,
      createdAtMicros: row.created_at,
      expiresAtMicros: row.expires_at,
    };
  }

  end(secretHash: string, auditOf: AuditOf<string> = unaudited): Promise<boolean> {
    return this.#generation.change(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('sessions')
        .where('secret_hash', '=', secretHash)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      await insertAuditEvents(transaction, auditOf(secretHash));
      return true;
    });
  }

  endAllOf(tokenId: string, auditOf: AuditOf<number> = unaudited): Promise<number> {
    return this.#generation.change(async (transaction) => {
      const { numDeletedRows } = await transaction
        .deleteFrom('sessions')
        .where('token_id', '=', tokenId)
        .executeTakeFirst();
      const count = Number(numDeletedRows);
      if (count > 0) await insertAuditEvents(transaction, auditOf(count));
      return count;
    });
  }

  async #liveOf({ tokenId, createdAtMicros }: SessionRecord): Promise<number> {
    const { count } = await this.#database
      .selectFrom('sessions')
      .select(({ fn }) => fn.countAll().as('count'))
      .where('token_id', '=', tokenId)
      .where('expires_at', '>', createdAtMicros)
      .executeTakeFirstOrThrow();
    return Number(count);
  }
}
