import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import { allows, requireQuery, requireScope } from '../tokens/permission.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import {
  createInvoke,
  type InvokeAnswer,
  type InvokeCall,
  type InvokeServices,
  type InvokeSettings,
} from './invoke.ts';
import { type Compiler, StatementCache } from './statementCache.ts';

/**
 * Runs a definition that is not stored as if it were, and keeps nothing of it. Everything that holds
 * for calls of the token holds here: its projects, its limits. Needs the scopes `manage` and `query`; a
 * token with `manage` is kept to nothing that a definition could get around (`tokens/createToken.ts`).
 */
export type RunDraft = (draft: EndpointDefinition, call: Omit<InvokeCall, 'idOrName'>) => Promise<InvokeAnswer>;

/** Version of a definition that is not stored. */
const draftVersion = 0;

/** What drafts are counted as: their names are whatever a caller writes. No endpoint has this name. */
const draftName = '#draft';

export function createRunDraft(services: InvokeServices, compiler: Compiler, settings: InvokeSettings): RunDraft {
  const running: InvokeServices['running'] = {
    begin: (query, signal) => services.running.begin({ ...query, countedAs: draftName }, signal),
  };
  return async (draft, call) => {
    requireScope(call.token.scopes, { kind: 'manage' });
    requireQuery(call.token.scopes);
    if (!allows(call.token.scopes, { kind: 'query', endpointId: draft.id })) {
      throw new ServiceError(
        'auth.scope',
        'A draft is run with the scope query; this token may call single endpoints.',
      );
    }
    const endpoint = { ...draft, version: draftVersion, cacheSeconds: 0, warmSeconds: null, staleIfErrorSeconds: 0 };
    const finder: EndpointFinder = {
      findById: async () => endpoint,
      findByName: async () => undefined,
      findVersion: async () => undefined,
      list: async () => [endpoint],
      // A draft is another one each time.
      revision: () => undefined,
    };
    // A draft is run once as a rule: its statements are not worth remembering.
    const statements = new StatementCache(compiler, { entriesMax: 1, bytesMax: 1 });
    return createInvoke(
      { ...services, running, endpoints: finder, statements },
      settings,
    )({ ...call, idOrName: draft.id });
  };
}
