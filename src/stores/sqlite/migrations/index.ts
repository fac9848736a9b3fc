import type { Migration } from 'kysely';
import { tokensAndEndpoints } from './0001_tokens_and_endpoints.ts';
import { eventFiles } from './0002_event_files.ts';
import { mergedEventFiles } from './0003_merged_event_files.ts';
import { auditTrail } from './0004_audit_trail.ts';
import { endpointAuthors } from './0005_endpoint_authors.ts';
import { tokenRotation } from './0006_token_rotation.ts';
import { sources } from './0007_sources.ts';
import { tokenOrder } from './0008_token_order.ts';
import { retention } from './0009_retention.ts';
import { damagedEventFiles } from './0010_damaged_event_files.ts';
import { arrivalNumbers } from './0011_arrival_numbers.ts';
import { commitLedger } from './0012_commit_ledger.ts';
import { existingTables } from './0013_existing_tables.ts';
import { sessions } from './0014_sessions.ts';
import { pageSecrets } from './0015_page_secrets.ts';
import { eventCopies } from './0016_event_copies.ts';

/** All migrations by name, in order. Add new ones at the end; never change a released one. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001_tokens_and_endpoints': tokensAndEndpoints,
  '0002_event_files': eventFiles,
  '0003_merged_event_files': mergedEventFiles,
  '0004_audit_trail': auditTrail,
  '0005_endpoint_authors': endpointAuthors,
  '0006_token_rotation': tokenRotation,
  '0007_sources': sources,
  '0008_token_order': tokenOrder,
  '0009_retention': retention,
  '0010_damaged_event_files': damagedEventFiles,
  '0011_arrival_numbers': arrivalNumbers,
  '0012_commit_ledger': commitLedger,
  '0013_existing_tables': existingTables,
  '0014_sessions': sessions,
  '0015_page_secrets': pageSecrets,
  '0016_event_copies': eventCopies,
};
