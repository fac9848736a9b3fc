import { ServiceError } from '../core/errors.ts';
import type { EndpointDefinition } from '../endpoints/definition.ts';
import { allows, requireQuery, requireScope } from '../tokens/permission.ts';
import type { EndpointFinder } from './findEndpoint.ts';
import { createInvoke, type InvokeAnswer, type InvokeCall } from './invoke.ts';
import type { InvokeServices, InvokeSettings } from './invokeServices.ts';
import { type Compiler, StatementCache } from './statementCache.ts';

/**
 * Runs a definition as if it were stored, without storing it. All restrictions and limits of the token apply. Needs the
 * scopes `manage` and `query`. A token with `manage` has no restriction that a definition could bypass
 * (`tokens/createToken.ts`).
 */
export type RunDraft = (draft: EndpointDefinition, call: Omit<InvokeCall, 'idOrName'>) => Promise<InvokeAnswer>;

/** Version of a definition that is not stored. */
const draftVersion = 0;

/** The name under which drafts are counted, because callers choose their names. No endpoint has this name. */
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
        'Running a definition that is not stored needs the scope query; this token may only call single endpoints.',
      );
    }
    const endpoint = { ...draft, version: draftVersion, cacheSeconds: 0, warmSeconds: null, staleIfErrorSeconds: 0 };
    const finder: EndpointFinder = {
      findById: async () => endpoint,
      findByName: async () => undefined,
      findVersion: async () => undefined,
      list: async () => [endpoint],
      // Each draft differs.
      revision: () => undefined,
    };
    // A draft normally runs once, so neither its statements nor its results are kept.
    const statements = new StatementCache(compiler, { entriesMax: 1, bytesMax: 1 });
    return createInvoke(
      { ...services, running, endpoints: finder, statements, changes: undefined },
      settings,
    )({ ...call, idOrName: draft.id });
  };
}
