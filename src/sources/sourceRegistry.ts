import type { Source } from './source.ts';

/** Where a source or an alias was declared. */
export type SourceOrigin = 'builtin' | 'configuration' | 'added';

export interface RegisteredSource {
  readonly source: Source;
  readonly description: string;
  readonly origin: SourceOrigin;
}

/**
 * The sources of a running service. They can become more while it runs, never fewer; whoever was given
 * `byName` sees those that are added.
 */
export class SourceRegistry {
  readonly #registered = new Map<string, RegisteredSource>();
  readonly #byName = new Map<string, Source>();
  /** Name of the source by alias; those of the configuration cannot be changed while the service runs. */
  readonly #aliases = new Map<string, { readonly source: string; readonly origin: SourceOrigin }>();

  get byName(): ReadonlyMap<string, Source> {
    return this.#byName;
  }

  /** A source of this name that is there already stays as it is. */
  add(registered: RegisteredSource): void {
    const { name } = registered.source;
    if (this.#registered.has(name)) return;
    this.#registered.set(name, registered);
    this.#byName.set(name, registered.source);
  }

  /** An alias that is there already stays as it is. */
  addAlias(alias: string, source: string, origin: SourceOrigin): void {
    if (!this.#aliases.has(alias)) this.#aliases.set(alias, { source, origin });
  }

  removeAlias(alias: string): void {
    this.#aliases.delete(alias);
  }

  /** The source of this exact name or alias (streams.md: aliases match exactly). */
  find(name: string): Source | undefined {
    return this.#byName.get(name) ?? this.#byName.get(this.#aliases.get(name)?.source ?? '');
  }

  /** The names of all sources, without aliases. */
  names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  list(): readonly RegisteredSource[] {
    return [...this.#registered.values()];
  }

  /** The other names of a source, only those of one origin where one is given. */
  aliasesOf(name: string, origin?: SourceOrigin): readonly string[] {
    return [...this.#aliases]
      .filter(([, alias]) => alias.source === name && (origin === undefined || alias.origin === origin))
      .map(([alias]) => alias)
      .sort();
  }
}
