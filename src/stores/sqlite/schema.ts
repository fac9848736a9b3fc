import type { AuditTables } from './auditTables.ts';
import type { CommitTables } from './commitTables.ts';
import type { EndpointTables } from './endpointTables.ts';
import type { EventFileTables } from './eventFileTables.ts';
import type { GenerationTables } from './generationTables.ts';
import type { RetentionTables } from './retentionTables.ts';
import type { SourceTables } from './sourceTables.ts';
import type { TokenTables } from './tokenTables.ts';

/** All tables of the store. Each store declares its own. Times are integers, microseconds since 1970. */
export interface StoreSchema
  extends GenerationTables,
    EndpointTables,
    TokenTables,
    CommitTables,
    EventFileTables,
    AuditTables,
    SourceTables,
    RetentionTables {}
