import type { Generated } from 'kysely';

export interface AuditTables {
  readonly audit_trail: {
    /** Absent when a row is written: the database assigns it. */
    readonly sequence: Generated<number>;
    readonly at: number;
    readonly actor: string | null;
    readonly action: string;
    readonly target: string | null;
    readonly version: number | null;
    readonly request_id: string | null;
    readonly code: string | null;
    readonly count: number;
  };
}
