import type { AuditOf } from '../audit/auditTrail.ts';
import type { SourceDeclaration } from './sourceDeclaration.ts';

/** Sources and aliases that were added to a running service. */
export interface StoredSources {
  readonly declarations: readonly SourceDeclaration[];
  /** Names of sources by alias. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Stores added sources and aliases. An adapter must resolve when a change is durable. */
export interface SourceStore {
  load(): Promise<StoredSources>;
  /** Adds a source with its aliases. Does nothing if the source exists. */
  add(
    declaration: SourceDeclaration,
    aliases: readonly string[],
    nowMicros: number,
    auditOf: AuditOf<string>,
  ): Promise<void>;
  /** Replaces the aliases of the source. */
  setAliases(source: string, aliases: readonly string[], auditOf: AuditOf<string>): Promise<void>;
}
