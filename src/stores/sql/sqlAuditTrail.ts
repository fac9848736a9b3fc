import type { Selectable } from 'kysely';
import type { AuditAction, AuditEntry, AuditEvent, AuditQuery, AuditTrail } from '../../audit/auditTrail.ts';
import type { AuditTables } from './auditTables.ts';
import { insertAuditEvents } from './insertAuditEvents.ts';
import type { StoreDatabase } from './schema.ts';

/** The audit trail in the store's database, whose triggers refuse to change or remove an entry. */
export class SqlAuditTrail implements AuditTrail {
  readonly #database: StoreDatabase;

  constructor(database: StoreDatabase) {
    this.#database = database;
  }

  async record(...events: readonly AuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    await this.#database.transaction().execute((transaction) => insertAuditEvents(transaction, events));
  }

  async list({ limit, beforeSequence, actor }: AuditQuery): Promise<readonly AuditEntry[]> {
    let query = this.#database.selectFrom('audit_trail').selectAll().orderBy('sequence', 'desc').limit(limit);
    if (beforeSequence !== null) query = query.where('sequence', '<', beforeSequence);
    if (actor !== null) query = query.where('actor', '=', actor);
    return (await query.execute()).map(entryOf);
  }
}

function entryOf(row: Selectable<AuditTables['audit_trail']>): AuditEntry {
  const { sequence, at, actor, action, target, version, request_id, code, count } = row;
  return {
    sequence,
    atMicros: at,
    actor,
    // Only `record` writes to this column.
    action: action as AuditAction,
    target,
    version,
    requestId: request_id,
    code,
    count,
  };
}
