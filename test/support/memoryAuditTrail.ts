import type { AuditEntry, AuditEvent, AuditTrail } from '../../src/audit/auditTrail.ts';

/** A trail that lasts as long as its test. */
export class MemoryAuditTrail implements AuditTrail {
  readonly entries: AuditEntry[] = [];

  async record(...events: readonly AuditEvent[]): Promise<void> {
    for (const event of events) {
      this.entries.push({ code: null, count: 1, ...event, sequence: this.entries.length + 1 });
    }
  }

  async list({ limit, beforeSequence, actor }: Parameters<AuditTrail['list']>[0]): Promise<readonly AuditEntry[]> {
    return this.entries
      .filter(({ sequence }) => beforeSequence === null || sequence < beforeSequence)
      .filter((entry) => actor === null || entry.actor === actor)
      .reverse()
      .slice(0, limit);
  }
}
