import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { restrictedTo } from '../tokens/restrictions.ts';
import type { Scope } from '../tokens/scope.ts';
import type { CallableEndpoint } from './callableEndpoint.ts';
import { type EndpointFinder, findEndpoint } from './findEndpoint.ts';
import { withServiceEndpoints } from './serviceEndpoints.ts';

const ids = {
  base: 'd9a2e433-3286-44d9-a3b2-96b88c809d76',
  variant: '6827ba9b-37ca-425d-8cde-4f10a8dd70f3',
  calls: 'cfee81bc-c614-4c21-aff5-62da7df0e53d',
};
const named = (id: string, name: string): CallableEndpoint => ({
  id,
  name,
  version: 1,
  query: 'select 1',
  parameters: [],
  maxRows: 1,
  sandbox: true,
  redactPii: false,
  strictParameters: false,
  values: null,
  timeoutMs: null,
  retention: null,
  cacheSeconds: 0,
  warmSeconds: null,
  staleIfErrorSeconds: 0,
  stream: null,
});
const base = named(ids.base, 'logs.all');
const variant = named(ids.variant, 'logs.all');

/** Two endpoints share a name; the base is primary. */
const declared: EndpointFinder = {
  findById: async (id) => [base, variant].find((each) => each.id === id),
  findByName: async (name) => (name === 'logs.all' ? base : undefined),
  findVersion: async () => undefined,
  list: async () => [base, variant],
  revision: () => undefined,
};
const calls: CallableEndpoint = {
  ...named(ids.calls, 'svc.calls'),
  service: { sources: new Map(), settle: async () => undefined },
};
const finder = withServiceEndpoints(declared, [calls]);
const tokenOf = (scopes: readonly Scope[], projects?: readonly string[]) => ({
  scopes,
  restrictions: projects === undefined ? null : restrictedTo(projects),
});
const all: readonly Scope[] = [{ kind: 'query' }];
const only = (endpointId: string): readonly Scope[] => [{ kind: 'query:endpoint', endpointId }];

const find = (idOrName: string, scopes: readonly Scope[], projects?: readonly string[]) =>
  findEndpoint(idOrName, tokenOf(scopes, projects), finder, 0).then(
    ({ id }) => id,
    (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
  );

describe('findEndpoint', () => {
  it.each([
    ['a name means its primary', 'logs.all', all, ids.base],
    ['an id means itself, primary or not', ids.variant, all, ids.variant],
    ['an id in upper case is the same id', ids.variant.toUpperCase(), all, ids.variant],
    ['names are case-sensitive', 'Logs.all', all, 'endpoint.unknown'],
    ['a token for one endpoint reaches it', ids.variant, only(ids.variant), ids.variant],
    ['a token for one endpoint does not reach its namesake by name', 'logs.all', only(ids.variant), 'endpoint.unknown'],
    ['a token for one endpoint does not reach another by id', ids.base, only(ids.variant), 'endpoint.unknown'],
    ['a token without a right to query is refused, known name', 'logs.all', [{ kind: 'manage' }], 'auth.scope'],
    ['a token without a right to query is refused, unknown name', 'no.such', [{ kind: 'manage' }], 'auth.scope'],
  ] as const)('%s', async (_, idOrName, scopes, outcome) => {
    expect(await find(idOrName, scopes)).toBe(outcome);
  });

  it.each([
    ['by name', 'svc.calls', [{ kind: 'observe' }], undefined, ids.calls],
    ['by id', ids.calls.toUpperCase(), [{ kind: 'query' }, { kind: 'observe' }], undefined, ids.calls],
    ['with query alone', 'svc.calls', all, undefined, 'endpoint.unknown'],
    ['with query for its id', ids.calls, only(ids.calls), undefined, 'endpoint.unknown'],
    ['with manage alone', 'svc.calls', [{ kind: 'manage' }], undefined, 'auth.scope'],
    ['of some projects', 'svc.calls', [{ kind: 'observe' }, { kind: 'query' }], ['p'], 'endpoint.unknown'],
    ['of some projects, with observe alone', 'svc.calls', [{ kind: 'observe' }], ['p'], 'auth.scope'],
  ] as const)('an endpoint of the service with a token %s', async (_, idOrName, scopes, projects, outcome) => {
    expect(await find(idOrName, scopes, projects)).toBe(outcome);
  });

  it('the scope observe reaches no declared endpoint', async () => {
    expect(await find('logs.all', [{ kind: 'observe' }])).toBe('auth.scope');
    expect(await find('no.such', [{ kind: 'observe' }])).toBe('auth.scope');
  });

  it('suggests only what the token may call', async () => {
    const nearest = async (scopes: readonly Scope[], given = 'logs.al') => {
      const error = await findEndpoint(given, tokenOf(scopes), finder, 0).catch((each: unknown) => each);
      return error instanceof ServiceError ? error.errors[0]?.nearest : error;
    };
    expect(await nearest(all)).toBe('logs.all');
    expect(await nearest(only(ids.base))).toBe('logs.all');
    expect(await nearest(only('99999999-9999-4999-8999-999999999999'))).toBe(undefined);
    // By its name the primary would answer, which this token may not call.
    expect(await nearest(only(ids.variant))).toBe(ids.variant);
    expect(await nearest(only(ids.variant), 'logs.all')).toBe(ids.variant);
  });
});
