import type { Source } from './source.ts';

/** The place where a source or an alias was declared. */
export type SourceOrigin = 'builtin' | 'configuration' | 'added';

export interface RegisteredSource {
  readonly source: Source;
  readonly description: string;
  readonly origin: SourceOrigin;
}

/**
 * The sources of a running service. Sources can be added but not removed. `byName` is live: it includes sources that are
 * added later.
 */
export class SourceRegistry {
  readonly #registered = new Map<string, RegisteredSource>();
  readonly #byName = new Map<string, Source>();
  /** Sources by alias. Aliases of the configuration cannot change while the service runs. */
  readonly #aliases = new Map<string, { readonly source: string; readonly origin: SourceOrigin }>();

  get byName(): ReadonlyMap<string, Source> {
    return this.#byName;
  }

  /** Adds a source. An existing one with the same name is not replaced. */
  add(registered: RegisteredSource): void {
    const { name } = registered.source;
    if (this.#registered.has(name)) return;
    this.#registered.set(name, registered);
    this.#byName.set(name, registered.source);
  }

  /** Adds an alias. An existing one is not replaced. */
  addAlias(alias: string, source: string, origin: SourceOrigin): void {
    if (!this.#aliases.has(alias)) this.#aliases.set(alias, { source, origin });
  }

  removeAlias(alias: string): void {
    this.#aliases.delete(alias);
  }

  /** The source with exactly this name or alias (streams.md: aliases match exactly). */
  find(name: string): Source | undefined {
    return this.#byName.get(name) ?? this.#byName.get(this.#aliases.get(name)?.source ?? '');
  }

  /** The names of all sources, without aliases. */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  /** The names of the sources that accept events. */
  writableNames(): readonly string[] {
    return this.names().filter((name) => !this.isReadOnly(name));
  }

  /** Whether there is such a source, and it reads a table that others fill. */
  isReadOnly(name: string): boolean {
    return this.#byName.get(name)?.existing !== undefined;
  }

  list(): readonly RegisteredSource[] {
    return [...this.#registered.values()];
  }

  /** The aliases of a source; only those of `origin`, if it is given. */
  aliasesOf(name: string, origin?: SourceOrigin): readonly string[] {
    return [...this.#aliases]
      .filter(([, alias]) => alias.source === name && (origin === undefined || alias.origin === origin))
      .map(([alias]) => alias)
      .sort();
  }
}
