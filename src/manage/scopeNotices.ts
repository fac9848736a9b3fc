import { nearestName } from '../core/nearestName.ts';
import type { NoticeCode } from '../core/noticeCatalogue.ts';
import type { Scope } from '../tokens/scope.ts';

/** The endpoints and sources that scopes can name. */
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
 * Notices about scopes of a new token that name an unknown endpoint or source. The token is created anyway, because the
 * endpoint or source may be created later.
 */
export async function scopeNotices(scopes: readonly Scope[], named: NamedByScopes): Promise<readonly ScopeNotice[]> {
  const notices: ScopeNotice[] = [];
  for (const scope of scopes) {
    if (scope.kind === 'query:endpoint' && !(await named.hasEndpoint(scope.endpointId))) {
      const { endpointId } = scope;
      const message = `There is no endpoint ${endpointId}, so query:endpoint:${endpointId} has no effect until you create it. The list of endpoints shows their IDs.`;
      notices.push({ code: 'scope.endpoint_unknown', message });
    }
    if (scope.kind === 'ingest:source' && !named.sources().includes(scope.source)) {
      const nearest = nearestName(scope.source, named.sources());
      const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
      const message = `There is no source ${scope.source}, so ingest:source:${scope.source} has no effect until you create it.${hint}`;
      notices.push({ code: 'scope.source_unknown', message });
    }
  }
  return notices;
}
