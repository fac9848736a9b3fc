import { nearestName } from '../core/nearestName.ts';
import type { NoticeCode } from '../core/noticeCatalogue.ts';
import type { Scope } from '../tokens/scope.ts';

/** What scopes can name. */
export interface NamedByScopes {
  hasEndpoint(id: string): Promise<boolean>;
  /** Names of sources, without aliases. */
  sources(): readonly string[];
}

export interface ScopeNotice {
  readonly code: NoticeCode;
  readonly message: string;
}

/**
 * What is told to whoever makes a token with a scope that names nothing. It is made all the same: what it names may be
 * made later, and an endpoint keeps its id.
 */
export async function scopeNotices(scopes: readonly Scope[], named: NamedByScopes): Promise<readonly ScopeNotice[]> {
  const notices: ScopeNotice[] = [];
  for (const scope of scopes) {
    if (scope.kind === 'query:endpoint' && !(await named.hasEndpoint(scope.endpointId))) {
      const { endpointId } = scope;
      const message = `There is no endpoint ${endpointId}: query:endpoint:${endpointId} allows nothing until there is. The list of endpoints shows their ids.`;
      notices.push({ code: 'scope.endpoint_unknown', message });
    }
    if (scope.kind === 'ingest:source' && !named.sources().includes(scope.source)) {
      const nearest = nearestName(scope.source, named.sources());
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      const message = `There is no source ${scope.source}: ingest:source:${scope.source} allows nothing until there is.${hint}`;
      notices.push({ code: 'scope.source_unknown', message });
    }
  }
  return notices;
}
