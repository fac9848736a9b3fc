/** How long events of a source (null for all) and a project (null for all) are kept. */
export interface RetentionRule {
  readonly source: string | null;
  readonly project: string | null;
  /** Whole days; 0 keeps everything. */
  readonly days: number;
}

/** The kind of rule that applies, the most specific first. */
export type RetentionOrigin = 'source and project' | 'project' | 'source' | 'default';

export interface EffectiveRetention {
  /** 0: everything is kept. */
  readonly days: number;
  readonly origin: RetentionOrigin;
}

export interface RetentionDefaults {
  /** For sources without their own default (`LOGMILL_RETENTION_DAYS`). 0: everything is kept. */
  readonly days: number;
  /** Defaults of single sources, by name. */
  readonly bySource: ReadonlyMap<string, number>;
}

const noRules: ReadonlyMap<string, number> = new Map();

/**
 * The retention rules. The most specific one applies: source and project, then project, then source, then the default. A
 * rule of a project precedes one of a source, because it is a promise to a customer.
 */
export class RetentionRules {
  readonly #defaults: RetentionDefaults;
  /** Days by source (null for all) and project (null for all). */
  readonly #rules = new Map<string | null, Map<string | null, number>>();
  /** Results of `ownOf`, until a rule changes. */
  #own = new Map<string, ReadonlyMap<string, number>>();
  #revision = 0;

  constructor(defaults: RetentionDefaults, rules: readonly RetentionRule[] = []) {
    this.#defaults = defaults;
    for (const rule of rules) this.set(rule);
  }

  /** Rises with every change of a rule. */
  get revision(): number {
    return this.#revision;
  }

  /** Whether a rule removes events of the source by age, of any project. */
  removesOf(source: string): boolean {
    return this.effective(source, null).days > 0 || this.ownOf(source).size > 0;
  }

  /** Whether nothing is ever removed by age. */
  get isOff(): boolean {
    const { days, bySource } = this.#defaults;
    return days === 0 && bySource.size === 0 && this.#rules.size === 0;
  }

  /** Every rule, without the defaults. */
  list(): readonly RetentionRule[] {
    return [...this.#rules].flatMap(([source, ofSource]) =>
      [...ofSource].map(([project, days]) => ({ source, project, days })),
    );
  }

  /** The days of exactly this rule; null if there is none. */
  find(source: string | null, project: string | null): number | null {
    return this.#rules.get(source)?.get(project) ?? null;
  }

  set({ source, project, days }: RetentionRule): void {
    const ofSource = this.#rules.get(source) ?? new Map<string | null, number>();
    this.#rules.set(source, ofSource.set(project, days));
    this.#own = new Map();
    this.#revision++;
  }

  remove(source: string | null, project: string | null): void {
    const ofSource = this.#rules.get(source);
    ofSource?.delete(project);
    if (ofSource?.size === 0) this.#rules.delete(source);
    this.#own = new Map();
    this.#revision++;
  }

  /** The applicable rule. `project` is null for projects without their own rules. */
  effective(source: string, project: string | null): EffectiveRetention {
    if (project !== null) {
      const both = this.find(source, project);
      if (both !== null) return { days: both, origin: 'source and project' };
      const ofProject = this.find(null, project);
      if (ofProject !== null) return { days: ofProject, origin: 'project' };
    }
    const ofSource = this.find(source, null);
    if (ofSource !== null) return { days: ofSource, origin: 'source' };
    return { days: this.#defaults.bySource.get(source) ?? this.#defaults.days, origin: 'default' };
  }

  /** Projects with a rule that decides about their events of the source, with its days. */
  ownOf(source: string): ReadonlyMap<string, number> {
    const known = this.#own.get(source);
    if (known !== undefined) return known;
    const all = [this.#rules.get(null) ?? noRules, this.#rules.get(source) ?? noRules];
    const own = new Map(
      all.flatMap((ofSource) =>
        [...ofSource].flatMap(([project, days]): [string, number][] => (project === null ? [] : [[project, days]])),
      ),
    );
    this.#own.set(source, own);
    return own;
  }
}

const dayMicros = 86_400_000_000;
const minuteMicros = 60_000_000;

/**
 * The earliest time that is kept, in microseconds since 1970; null if everything is kept. It moves once a minute, so that
 * ingestion, queries and removal agree, and the text of a query stays the same for a while.
 */
export function oldestKeptMicros(days: number, nowMicros: number): number | null {
  if (days === 0) return null;
  return Math.floor((nowMicros - days * dayMicros) / minuteMicros) * minuteMicros;
}

/** No rules: nothing is removed by age. */
export function keepEverything(): RetentionRules {
  return new RetentionRules({ days: 0, bySource: new Map() });
}
