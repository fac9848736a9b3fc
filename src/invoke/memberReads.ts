import { LRUCache } from 'lru-cache';
import { sourcesRead } from '../googlesql/plan/columnsRead.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/** A member of the metadata of a source, as `metadata.request.path`, and how many queries read it. */
export interface MemberRead {
  readonly member: string;
  readonly queries: number;
}

/** Members of one source that are counted: those that were read last. */
const membersMax = 1000;
const memberCharsMax = 300;

/**
 * Counts which members the queries read that the engine runs. Answers from the cache do not count, because they read
 * nothing.
 */
export class MemberReads {
  readonly #bySource = new Map<string, LRUCache<string, number>>();
  /** Of queries that ran: each is looked through once, and runs many times. */
  readonly #known = new WeakMap<ResolvedQuery, ReturnType<typeof sourcesRead>>();

  add(query: ResolvedQuery): void {
    const read = this.#known.get(query) ?? sourcesRead(query);
    this.#known.set(query, read);
    for (const { name, columns } of read) {
      const members = this.#bySource.get(name) ?? new LRUCache<string, number>({ max: membersMax });
      this.#bySource.set(name, members);
      for (const column of columns) {
        if (!column.startsWith('metadata.') || column.length > memberCharsMax) continue;
        members.set(column, (members.get(column) ?? 0) + 1);
      }
    }
  }

  /** Those of a source, most read first. */
  of(source: string): readonly MemberRead[] {
    return [...(this.#bySource.get(source)?.entries() ?? [])]
      .map(([member, queries]) => ({ member, queries }))
      .sort((a, b) => b.queries - a.queries || (a.member < b.member ? -1 : 1));
  }
}
