import type { PostgresMigration } from '../migrate.ts';
import { definitions } from './0001_definitions.ts';
import { commitLedger } from './0002_commit_ledger.ts';
import { nodes } from './0003_nodes.ts';
import { existingTables } from './0004_existing_tables.ts';
import { sessions } from './0005_sessions.ts';
import { pageSecrets } from './0006_page_secrets.ts';
import { eventCopies } from './0007_event_copies.ts';
import { changeMarks } from './0008_change_marks.ts';

/** All steps of the schema, in order. Add new ones at the end; never change a released one. */
export const postgresMigrations: readonly PostgresMigration[] = [
  definitions,
  commitLedger,
  nodes,
  existingTables,
  sessions,
  pageSecrets,
  eventCopies,
  changeMarks,
];
