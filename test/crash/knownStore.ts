/** The known outcome of a requested change, which a kill may have interrupted. */
export type Known<T> =
  | { readonly kind: 'sure'; readonly value: T }
  | { readonly kind: 'either'; readonly values: readonly T[] };

export const sure = <T>(value: T): Known<T> => ({ kind: 'sure', value });
export const either = <T>(...values: readonly T[]): Known<T> => ({ kind: 'either', values });

const allowed = <T>(known: Known<T>): readonly T[] => (known.kind === 'sure' ? [known.value] : known.values);

/** Everything that was acknowledged as stored, for comparison with what is stored. */
export class KnownStore {
  /** Texts of tokens by public ID, and whether they are live. */
  readonly tokens = new Map<string, { readonly text: string; readonly state: Known<'live' | 'revoked'> }>();
  /** Descriptions of endpoints by id; null for a missing endpoint. */
  readonly endpoints = new Map<string, Known<string | null>>();
  readonly sources = new Map<string, Known<boolean>>();
  /** Days by source. */
  readonly retention = new Map<string, Known<number | null>>();
  /** Entries of the audit trail, `action target`, with how often each was acknowledged. */
  readonly audit = new Map<string, number>();

  acknowledge(action: string, target: string): void {
    const entry = `${action} ${target}`;
    this.audit.set(entry, (this.audit.get(entry) ?? 0) + 1);
  }

  /** Everything that contradicts the found state, one sentence each; afterwards, unsure values are sure. */
  differences(found: FoundStore): readonly string[] {
    return [
      ...this.#tokenDifferences(found),
      ...compare('endpoint', this.endpoints, (id) => found.endpoints.get(id) ?? null),
      ...compare('source', this.sources, (name) => found.sources.has(name)),
      ...compare('retention of', this.retention, (source) => found.retention.get(source) ?? null),
      ...[...this.audit].flatMap(([entry, times]) => {
        const there = found.audit.get(entry) ?? 0;
        return there >= times ? [] : [`audit: ${entry} was acknowledged ${times} times and is there ${there} times`];
      }),
    ];
  }

  #tokenDifferences(found: FoundStore): readonly string[] {
    return [...this.tokens].flatMap(([id, { text, state }]) => {
      const is = found.tokens.get(id) ?? 'revoked';
      this.tokens.set(id, { text, state: sure(is) });
      return allowed(state).includes(is) ? [] : [`token ${id} is ${is} instead of ${allowed(state).join(' or ')}`];
    });
  }
}

/** The answers of a running service. */
export interface FoundStore {
  readonly tokens: ReadonlyMap<string, 'live' | 'revoked'>;
  readonly endpoints: ReadonlyMap<string, string>;
  readonly sources: ReadonlySet<string>;
  readonly retention: ReadonlyMap<string, number | null>;
  readonly audit: ReadonlyMap<string, number>;
}

function compare<T>(what: string, known: Map<string, Known<T>>, isNow: (key: string) => T): readonly string[] {
  return [...known].flatMap(([key, state]) => {
    const is = isNow(key);
    known.set(key, sure(is));
    if (allowed(state).includes(is)) return [];
    return [`${what} ${key} is ${String(is)} instead of ${allowed(state).map(String).join(' or ')}`];
  });
}
