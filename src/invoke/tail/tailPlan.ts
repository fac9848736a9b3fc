import type { ShareableTail } from '../../googlesql/plan/sharedTail.ts';
import type { TailedQuery } from '../../googlesql/plan/tailQuery.ts';
import type { ResolvedQuery } from '../../googlesql/resolve/tree.ts';
import type { RunRequest } from '../../ports/queryEngine.ts';
import type { TokenRunner } from '../queryQueue.ts';

/** What decides the rows of a tail. Plans with the same `key` have the same rows. */
export interface TailPlan {
  readonly key: string;
  readonly endpoint: { readonly id: string; readonly name: string };
  /** The query as it was compiled, from which the origins of its columns are read. */
  readonly query: ResolvedQuery;
  readonly tailed: TailedQuery;
  /** How it can be read together with others; null if it cannot. */
  readonly shareable: ShareableTail | null;
  readonly request: Pick<RunRequest, 'parameters' | 'projects' | 'redaction' | 'profile'>;
  /** Projects whose new events may have rows; null for every project. */
  readonly wakes: readonly string[] | null;
  readonly isRedacted: boolean;
  readonly isRedactedAtScan: boolean;
  readonly runner: TokenRunner;
  /** IDs of the requests that opened its tails. */
  readonly requestIds: readonly string[];
  readonly timeoutMs: number;
}

/** The ID with which tails of several tokens are read. */
export const severalTokens = 'tails';

/**
 * As whom tails are read together: as their token, if all have the same; otherwise as a tenant of its own, which has the places
 * of their owner if that is the same.
 */
export function commonRunner(runners: readonly TokenRunner[], tenant: string): TokenRunner {
  const [first, ...others] = runners;
  if (first !== undefined && others.every(({ id }) => id === first.id)) return first;
  const owners = new Set(runners.map(readOwnerOf));
  const [owner = tenant] = owners;
  return { id: severalTokens, concurrencyMax: null, tenant, placeOwner: owners.size > 1 ? tenant : owner };
}

/** Who has the places of the reads of a runner. */
export const readOwnerOf = ({ id, placeOwner }: TokenRunner): string => placeOwner ?? id;
