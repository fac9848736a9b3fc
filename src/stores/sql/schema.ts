import type { Kysely } from 'kysely';
import type { AuditTables } from './auditTables.ts';
import type { CommitTables } from './commitTables.ts';
import type { CopyTables } from './copyTables.ts';
import type { EndpointTables } from './endpointTables.ts';
import type { GenerationTables } from './generationTables.ts';
import type { PageTables } from './pageTables.ts';
import type { RetentionTables } from './retentionTables.ts';
import type { SessionTables } from './sessionTables.ts';
import type { SourceTables } from './sourceTables.ts';
import type { TokenTables } from './tokenTables.ts';

/**
 * The tables that the embedded store and PostgreSQL have in common. Each store declares its own. Times are integers,
 * microseconds since 1970.
 */
export interface StoreSchema
  extends GenerationTables,
    EndpointTables,
    TokenTables,
    SessionTables,
    CommitTables,
    AuditTables,
    SourceTables,
    RetentionTables,
    PageTables,
    CopyTables {}

/** Kysely over either database. */
export type StoreDatabase = Kysely<StoreSchema>;
