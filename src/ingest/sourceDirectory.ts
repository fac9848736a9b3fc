import type { Source } from '../sources/source.ts';

/** The declared sources as ingestion needs them. */
export interface SourceDirectory {
  /** The source of this exact name or alias. */
  find(name: string): Source | undefined;
  /** The names of all sources, without aliases. */
  names(): readonly string[];
}

/**
 * Creates a directory of fixed sources. `aliases` maps other names to sources; they match exactly (streams.md: aliases
 * are configuration).
 */
export function sourceDirectory(
  sources: readonly Source[],
  aliases: ReadonlyMap<string, string> = new Map(),
): SourceDirectory {
  const byName = new Map(sources.map((source) => [source.name, source]));
  return {
    find: (name) => byName.get(name) ?? byName.get(aliases.get(name) ?? ''),
    names: () => [...byName.keys()],
  };
}
