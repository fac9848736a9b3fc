import type { Kysely } from 'kysely';
import type { AuditEvent } from '../../audit/auditTrail.ts';
import type { StoreSchema } from './schema.ts';

/** Writes audit entries in a transaction, so that they exist if and only if its other changes do. */
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
