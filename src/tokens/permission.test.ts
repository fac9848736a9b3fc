import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { type Action, allows, mayQuery, permission, requireQuery, requireScope, scopesBeyond } from './permission.ts';
import { allScopes, formatScope, parseScopes } from './scope.ts';

const a = '00000000-0000-4000-8000-00000000000a';
const b = '00000000-0000-4000-8000-00000000000b';

describe('permission', () => {
  const query = (endpointId: string): Action => ({ kind: 'query', endpointId });
  const ingest = (source: string): Action => ({ kind: 'ingest', source });

  it.each<[string, string[], Action, 'allowed' | 'refused' | 'hidden']>([
    ['query calls any endpoint', ['query'], query(a), 'allowed'],
    ['an endpoint scope calls its endpoint', [`query:endpoint:${a}`], query(a), 'allowed'],
    [
      'an endpoint scope calls its endpoint, written in any case',
      [`query:endpoint:${a}`],
      query(a.toUpperCase()),
      'allowed',
    ],
    ['an endpoint scope does not see another endpoint', [`query:endpoint:${a}`], query(b), 'hidden'],
    ['several endpoint scopes add up', [`query:endpoint:${a}`, `query:endpoint:${b}`], query(b), 'allowed'],
    ['query beside an endpoint scope is not narrowed', [`query:endpoint:${a}`, 'query'], query(b), 'allowed'],
    ['manage implies no query', ['manage', 'observe', 'ingest'], query(a), 'refused'],
    ['query:fresh alone calls nothing', ['query:fresh', 'query:version', 'query:explain'], query(a), 'refused'],
    ['query does not bypass the cache', ['query'], { kind: 'query:fresh' }, 'refused'],
    ['query:fresh does', ['query:fresh'], { kind: 'query:fresh' }, 'allowed'],
    ['query does not call old versions', ['query'], { kind: 'query:version' }, 'refused'],
    ['query does not dry-run', ['query'], { kind: 'query:explain' }, 'refused'],
    ['ingest sends to any source', ['ingest'], ingest('edge_logs'), 'allowed'],
    ['a source scope sends to its source', ['ingest:source:edge_logs'], ingest('edge_logs'), 'allowed'],
    ['a source scope sends to no other', ['ingest:source:edge_logs'], ingest('auth_logs'), 'refused'],
    ['source names are case-sensitive', ['ingest:source:edge_logs'], ingest('Edge_Logs'), 'refused'],
    ['query does not ingest', ['query', 'manage'], ingest('edge_logs'), 'refused'],
    ['observe observes', ['observe'], { kind: 'observe' }, 'allowed'],
    ['manage does not observe', ['manage'], { kind: 'observe' }, 'refused'],
    ['query does not manage', ['query', 'ingest', 'observe'], { kind: 'manage' }, 'refused'],
    ['manage manages', ['manage'], { kind: 'manage' }, 'allowed'],
  ])('%s', (_title, scopes, action, expected) => {
    expect(permission(parseScopes(scopes), action).kind).toBe(expected);
    expect(allows(parseScopes(scopes), action)).toBe(expected === 'allowed');
  });

  it('lets an administration token do everything', () => {
    for (const kind of ['query:fresh', 'query:version', 'query:explain', 'observe', 'manage'] as const) {
      expect(allows(allScopes, { kind })).toBe(true);
    }
    expect(allows(allScopes, query(a))).toBe(true);
    expect(allows(allScopes, ingest('x'))).toBe(true);
  });
});

it('knows which tokens may call any endpoint', () => {
  expect(mayQuery(parseScopes(['query']))).toBe(true);
  expect(mayQuery(parseScopes([`query:endpoint:${a}`]))).toBe(true);
  expect(mayQuery(parseScopes(['manage', 'query:fresh']))).toBe(false);
  expect(() => requireQuery(parseScopes(['query']))).not.toThrow();
  expect(() => requireQuery(parseScopes(['ingest']))).toThrow(ServiceError);
});

it('names the needed scope and the scopes of the token', () => {
  const scopes = parseScopes(['query', 'observe']);
  expect(() => requireScope(scopes, { kind: 'observe' })).not.toThrow();
  expect(() => requireScope(scopes, { kind: 'ingest', source: 'edge_logs' })).toThrow(
    expect.objectContaining({
      code: 'auth.scope',
      message: expect.stringMatching(/ingest:source:edge_logs.*has query, observe/),
    }),
  );
});

describe('scopesBeyond', () => {
  it.each([
    [['query'], [`query:endpoint:${a}`, 'query'], []],
    [
      [`query:endpoint:${a}`],
      ['query', `query:endpoint:${a}`, `query:endpoint:${b}`],
      ['query', `query:endpoint:${b}`],
    ],
    [['manage'], ['query', 'manage'], ['query']],
    [['ingest'], ['ingest:source:x'], []],
    [['ingest:source:x'], ['ingest'], ['ingest']],
    [['query'], ['query:fresh'], ['query:fresh']],
  ])('of %j finds in %j: %j', (own, wanted, beyond) => {
    expect(scopesBeyond(parseScopes(own), parseScopes(wanted)).map(formatScope)).toEqual(beyond);
  });
});
