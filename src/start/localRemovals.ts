import type { AuditTrail } from '../audit/auditTrail.ts';
import type { DeletionStore } from '../retention/eventDeletion.ts';
import type { RetentionStore } from '../retention/retentionStore.ts';
import type { StoreDatabase } from '../stores/sql/schema.ts';
import { SqlDeletionStore } from '../stores/sql/sqlDeletionStore.ts';
import { SqlRetentionStore } from '../stores/sql/sqlRetentionStore.ts';

/**
 * Removals of an engine that keeps its events in the data folder, while definitions are elsewhere. What was removed from
 * its files is counted in the commit of its manifest, so deletions and marks stay beside the manifest. Rules and audit
 * are shared.
 */
export class LocalRemovals {
  readonly retention: RetentionStore;
  readonly deletions: DeletionStore;

  constructor(local: StoreDatabase, rules: RetentionStore, audit: AuditTrail) {
    const marks = new SqlRetentionStore(local);
    const deletions = new SqlDeletionStore(local);
    this.retention = {
      load: () => rules.load(),
      loadMarks: () => marks.loadMarks(),
      change: async (changes, advanced, auditOf) => {
        // Marks first: alone, they only say what is true already, that older events are gone.
        if (advanced.length > 0) await marks.change([], advanced);
        await rules.change(changes, [], auditOf);
      },
    };
    this.deletions = {
      load: () => deletions.load(),
      list: (project, limit) => deletions.list(project, limit),
      find: (project, id) => deletions.find(project, id),
      complete: (token, nowMicros) => deletions.complete(token, nowMicros),
      reopen: (token) => deletions.reopen(token),
      add: async (deletion, auditOf) => {
        // The entry first: a deletion without an entry would be worse than an entry of a deletion that failed.
        if (auditOf !== undefined) await audit.record(...auditOf(deletion.id));
        await deletions.add(deletion);
      },
    };
  }
}
