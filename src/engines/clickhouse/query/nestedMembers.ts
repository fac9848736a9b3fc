import type { ResolvedQuery } from '../../../googlesql/resolve/tree.ts';
import type { RunRequest } from '../../../ports/queryEngine.ts';

/** The most lists of projects that are kept for a query. */
const projectsMax = 1_000;

/**
 * Queries that returned a member that is an object or an array, so that their next run fetches whole metadata at once. Each is
 * kept with its projects, because the members of one project must not decide how another one is answered.
 */
export class NestedMembers {
  readonly #found = new WeakMap<ResolvedQuery, Set<string>>();

  has({ query, projects }: Pick<RunRequest, 'query' | 'projects'>): boolean {
    return this.#found.get(query)?.has(JSON.stringify(projects)) ?? false;
  }

  add({ query, projects }: Pick<RunRequest, 'query' | 'projects'>): void {
    const all = this.#found.get(query) ?? new Set();
    if (all.size >= projectsMax) all.clear();
    all.add(JSON.stringify(projects));
    this.#found.set(query, all);
  }
}
