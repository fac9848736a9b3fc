import { type Kysely, type Selectable, sql } from 'kysely';
import { type AuditOf, unaudited } from '../../audit/auditTrail.ts';
import { formatRestrictions, parseRestrictions } from '../../tokens/restrictions.ts';
import { formatScope, parseScopes } from '../../tokens/scope.ts';
import type { TokenPageQuery, TokenRecord, TokenSlot, TokenStore } from '../../tokens/tokenStore.ts';
import { Generation } from './generation.ts';
import type { GenerationSource } from './generationSource.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import { RepeatedSelect } from './repeatedSelect.ts';
import type { StoreDatabase, StoreSchema } from './schema.ts';
import type { TokenTables } from './tokenTables.ts';

type Row = Selectable<TokenTables['tokens']>;

export class SqlTokenStore implements TokenStore {
  readonly #database: StoreDatabase;
  readonly #generation: Generation;
  readonly #byPublicId: RepeatedSelect<Row>;
  readonly #configured: RepeatedSelect<Row>;

  constructor(database: StoreDatabase, generations?: GenerationSource) {
    this.#database = database;
    this.#generation = new Generation(database, 'tokens', generations);
    const tokens = database.selectFrom('tokens').selectAll();
    this.#byPublicId = new RepeatedSelect(database, tokens.where('public_id', '=', ''));
    this.#configured = new RepeatedSelect(
      database,
      tokens.where('secret_hash', '=', '').where('slot', 'is not', null).where('revoked_at', 'is', null),
    );
  }

  generation(): Promise<number> {
    return this.#generation.read();
  }

  get changesSeen(): number {
    return this.#generation.changesSeen;
  }

  async create(record: TokenRecord, auditOf: AuditOf<TokenRecord> = unaudited): Promise<void> {
    await this.#generation.change(async (transaction) => {
      await insertToken(transaction, record);
      await insertAuditEvents(transaction, auditOf(record));
    });
  }

  async createFirstManager(record: TokenRecord): Promise<boolean> {
    return this.#generation.change(async (transaction) => {
      if (await hasManager(transaction)) return false;
      await insertToken(transaction, record);
      return true;
    });
  }

  hasHadManager(): Promise<boolean> {
    return hasManager(this.#database);
  }

  async list(): Promise<readonly TokenRecord[]> {
    const rows = await this.#database
      .selectFrom('tokens')
      .selectAll()
      .orderBy('created_at')
      .orderBy('public_id')
      .execute();
    return rows.map(recordOf);
  }

  async page({ limit, after, state, nowMicros }: TokenPageQuery): Promise<readonly TokenRecord[]> {
    let query = this.#database.selectFrom('tokens').selectAll().orderBy('created_at').orderBy('public_id').limit(limit);
    if (after !== null) {
      const [createdAtMicros, publicId] = after;
      query = query.where((row) =>
        row(row.refTuple('created_at', 'public_id'), '>', row.tuple(createdAtMicros, publicId)),
      );
    }
    if (state !== null) query = query.where('revoked_at', state === 'revoked' ? 'is not' : 'is', null);
    if (state === 'expired') query = query.where('expires_at', '<=', nowMicros);
    if (state === 'live') {
      query = query.where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', nowMicros)]));
    }
    return (await query.execute()).map(recordOf);
  }

  async findByPublicId(publicId: string): Promise<TokenRecord | undefined> {
    const row = await this.#byPublicId.first(publicId);
    return row === undefined ? undefined : recordOf(row);
  }

  async findConfigured(secretHash: string): Promise<TokenRecord | undefined> {
    const row = await this.#configured.first(secretHash);
    return row === undefined ? undefined : recordOf(row);
  }

  revoke(publicId: string, nowMicros: number, auditOf: AuditOf<string> = unaudited): Promise<boolean> {
    return this.#generation.change(async (transaction) => {
      const result = await transaction
        .updateTable('tokens')
        .set({ revoked_at: nowMicros })
        .where('public_id', '=', publicId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      await insertAuditEvents(transaction, auditOf(publicId));
      return true;
    });
  }

  rotate(
    publicId: string,
    secretHash: string,
    previousUntilMicros: number,
    auditOf: AuditOf<string> = unaudited,
  ): Promise<boolean> {
    return this.#generation.change(async (transaction) => {
      const result = await transaction
        .updateTable('tokens')
        // The right-hand sides are the old values.
        .set((row) => ({
          previous_hash: row.ref('secret_hash'),
          previous_until: previousUntilMicros,
          secret_hash: secretHash,
        }))
        .where('public_id', '=', publicId)
        .where('revoked_at', 'is', null)
        .executeTakeFirst();
      if (result.numUpdatedRows === 0n) return false;
      await insertAuditEvents(transaction, auditOf(publicId));
      return true;
    });
  }

  async configure(
    slot: TokenSlot,
    record: TokenRecord | undefined,
    nowMicros: number,
  ): Promise<'unchanged' | 'changed' | 'revoked'> {
    // Most starts change none, and each change would wait for the disk.
    const before = await liveOfSlot(this.#database, slot);
    if (isConfigured(before, record)) return 'unchanged';
    if (before === undefined && (await wasRevoked(this.#database, record))) return 'revoked';
    return this.#generation.change(async (transaction) => {
      const live = await liveOfSlot(transaction, slot);
      if (isConfigured(live, record)) return 'unchanged';
      if (live !== undefined && live.secret_hash === record?.secretHash) {
        await transaction
          .updateTable('tokens')
          .set({ scopes: scopesText(record), manages: managesOf(record) })
          .where('public_id', '=', live.public_id)
          .execute();
        return 'changed';
      }
      if (live !== undefined) {
        await transaction
          .updateTable('tokens')
          .set({ revoked_at: nowMicros })
          .where('public_id', '=', live.public_id)
          .execute();
      }
      if (await wasRevoked(transaction, record)) return 'revoked';
      if (record !== undefined) await insertToken(transaction, record);
      return 'changed';
    });
  }

  async recordUse(lastUsedAtMicros: ReadonlyMap<string, number>): Promise<void> {
    if (lastUsedAtMicros.size === 0) return;
    const used = [...lastUsedAtMicros];
    // In turn with other changes, so that two nodes never wait for rows of each other.
    await this.#generation.unseen(async (transaction) => {
      for (let from = 0; from < used.length; from += usesPerStatement) {
        await recordUses(transaction, used.slice(from, from + usesPerStatement));
      }
    });
  }
}

/** Thousands of tokens are used in a minute, and a statement takes some ten thousand values. */
const usesPerStatement = 500;

async function recordUses(
  transaction: Kysely<StoreSchema>,
  used: readonly (readonly [publicId: string, micros: number])[],
): Promise<void> {
  const rows = used.map(([publicId, micros]) => sql`(${publicId}, cast(${micros} as bigint))`);
  await sql`
    with used (public_id, micros) as (values ${sql.join(rows)})
    update tokens set last_used_at = used.micros from used
    where tokens.public_id = used.public_id and (tokens.last_used_at is null or tokens.last_used_at < used.micros)
  `.execute(transaction);
}

function liveOfSlot(database: Kysely<StoreSchema>, slot: TokenSlot): Promise<Row | undefined> {
  return database
    .selectFrom('tokens')
    .selectAll()
    .where('slot', '=', slot)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
}

/** Whether somebody has revoked a configured token with this secret. A token that another value replaced is no such token. */
async function wasRevoked(database: Kysely<StoreSchema>, record: TokenRecord | undefined): Promise<boolean> {
  if (record === undefined) return false;
  const found = await database
    .selectFrom('tokens')
    .innerJoin('audit_trail', 'audit_trail.target', 'tokens.public_id')
    .select('tokens.public_id')
    .where('tokens.secret_hash', '=', record.secretHash)
    .where('tokens.slot', 'is not', null)
    .where('audit_trail.action', '=', 'token.revoke')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

function isConfigured(live: Row | undefined, record: TokenRecord | undefined): boolean {
  if (record === undefined) return live === undefined;
  return live?.secret_hash === record.secretHash && live.scopes === scopesText(record);
}

async function hasManager(database: Kysely<StoreSchema>): Promise<boolean> {
  const row = await database
    .selectFrom('tokens')
    .select('public_id')
    .where('manages', '=', 1)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertToken(transaction: Kysely<StoreSchema>, record: TokenRecord): Promise<void> {
  await transaction
    .insertInto('tokens')
    .values({
      public_id: record.publicId,
      secret_hash: record.secretHash,
      description: record.description,
      scopes: scopesText(record),
      manages: managesOf(record),
      slot: record.slot,
      restrictions: formatRestrictions(record.restrictions),
      created_at: record.createdAtMicros,
      expires_at: record.expiresAtMicros,
      last_used_at: record.lastUsedAtMicros,
      revoked_at: record.revokedAtMicros,
      previous_hash: record.previous?.secretHash ?? null,
      previous_until: record.previous?.untilMicros ?? null,
    })
    .execute();
}

const managesOf = ({ scopes }: TokenRecord): 0 | 1 => (scopes.some(({ kind }) => kind === 'manage') ? 1 : 0);

function scopesText(record: TokenRecord): string {
  return record.scopes.map(formatScope).join(' ');
}

function recordOf(row: Row): TokenRecord {
  return {
    publicId: row.public_id,
    secretHash: row.secret_hash,
    description: row.description,
    scopes: parseScopes(row.scopes.split(' ')),
    slot: slotOf(row.slot),
    restrictions: parseRestrictions(row.restrictions),
    createdAtMicros: row.created_at,
    expiresAtMicros: row.expires_at,
    lastUsedAtMicros: row.last_used_at,
    revokedAtMicros: row.revoked_at,
    previous:
      row.previous_hash === null || row.previous_until === null
        ? null
        : { secretHash: row.previous_hash, untilMicros: row.previous_until },
  };
}

function slotOf(text: string | null): TokenSlot | null {
  if (text === null || text === 'admin' || text === 'query' || text === 'ingest') return text;
  throw new Error(`the store holds an unknown token slot: ${text}`);
}
