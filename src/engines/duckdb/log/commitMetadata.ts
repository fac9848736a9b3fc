import { quoteIdentifier } from '../sqlText.ts';

/**
 * Tables of an active segment next to its events, in schema `ledger`. They are always written in the same commit as
 * their events: commit ids (which groups of batches are stored), identities (which batch a retry repeats), irregular
 * facts, and one row about the segment itself.
 */
export type LedgerTable = 'file' | 'commits' | 'identities' | 'irregular';

export const ledgerSchema = 'ledger';

export function ledgerInFile(alias: string, table: LedgerTable): string {
  return `${quoteIdentifier(alias)}.${ledgerSchema}.${table}`;
}

export function createLedgerSql(alias: string): readonly string[] {
  return [
    `CREATE SCHEMA ${quoteIdentifier(alias)}.${ledgerSchema}`,
    `CREATE TABLE ${ledgerInFile(alias, 'file')} (created_micros BIGINT)`,
    `CREATE TABLE ${ledgerInFile(alias, 'commits')} (commit_id VARCHAR)`,
    `CREATE TABLE ${ledgerInFile(alias, 'identities')} (key VARCHAR, digest VARCHAR, answer VARCHAR, stored_micros BIGINT)`,
    `CREATE TABLE ${ledgerInFile(alias, 'irregular')} (source VARCHAR, project VARCHAR, path_key VARCHAR)`,
  ];
}
