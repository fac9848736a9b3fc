import type { AuditOf } from '../audit/auditTrail.ts';
import type { SourceDeclaration } from './sourceDeclaration.ts';

/** What was declared while the service ran. */
export interface StoredSources {
  readonly declarations: readonly SourceDeclaration[];
  /** Names of sources by alias. */
  readonly aliases: ReadonlyMap<string, string>;
}

/** Sources and aliases that were added. An adapter must resolve when a change is durable. */
export interface SourceStore {
  load(): Promise<StoredSources>;
  /** Adds a source with its aliases, or, where it is there, does nothing. */
  add(
    declaration: SourceDeclaration,
    aliases: readonly string[],
    nowMicros: number,
    auditOf: AuditOf<string>,
  ): Promise<void>;
  /** The aliases that the source has from now on. */
  setAliases(source: string, aliases: readonly string[], auditOf: AuditOf<string>): Promise<void>;
}
