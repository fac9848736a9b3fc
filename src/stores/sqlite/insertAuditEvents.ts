import type { Kysely } from 'kysely';
import type { AuditEvent } from '../../audit/auditTrail.ts';
import type { StoreSchema } from './schema.ts';

/** Writes entries of the audit trail in a transaction; they are there if and only if what else is done in it is. */
export async function insertAuditEvents(
  transaction: Kysely<StoreSchema>,
  events: readonly AuditEvent[],
): Promise<void> {
  for (const event of events) {
    await transaction
      .insertInto('audit_trail')
      .values({
        at: event.atMicros,
        actor: event.actor,
        action: event.action,
        target: event.target,
        version: event.version,
        request_id: event.requestId,
        code: event.code ?? null,
        count: event.count ?? 1,
      })
      .execute();
  }
}
