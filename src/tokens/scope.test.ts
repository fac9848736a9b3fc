import { describe, expect, it } from 'vitest';
import { ServiceError } from '../core/errors.ts';
import { allScopes, formatScope, parseScope, parseScopes, scopeForms } from './scope.ts';

const endpointId = '77eeb93b-4d5e-467a-96f7-53c59097216c';

function refusal(text: string): ServiceError {
  try {
    parseScope(text);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`accepted ${text}`);
}

describe('parseScope', () => {
  it('reads every scope of the contract, and writes it back', () => {
    for (const form of scopeForms) {
      const text = form.replace('<id>', endpointId).replace('<name>', 'edge_logs');
      expect(formatScope(parseScope(text))).toBe(text);
    }
  });

  it('accepts an endpoint id in any case', () => {
    expect(parseScope(`query:endpoint:${endpointId.toUpperCase()}`)).toEqual({ kind: 'query:endpoint', endpointId });
  });

  it.each([
    ['qurey', 'query'],
    ['Query', 'query'],
    ['query:frsh', 'query:fresh'],
    ['mange', 'manage'],
    ['query:endpoint:logs.all', 'query:endpoint:<id>'],
    [`query:endpiont:${endpointId}`, 'query:endpoint:<id>'],
    ['ingest:sources:edge_logs', 'ingest:source:<name>'],
    ['ingest:source:', 'ingest:source:<name>'],
  ])('refuses %s and suggests %s', (text, nearest) => {
    const error = refusal(text);
    expect(error.code).toBe('token.invalid');
    expect(error.errors[0]).toMatchObject({ token: text, allowed: scopeForms });
    expect(error.errors[0]?.nearest).toBe(nearest);
    expect(error.message).toContain(nearest);
  });

  it.each([
    '',
    '*',
    'admin',
    'query query',
    ' query',
    'query:',
    'ingest:source:a b',
    'ingest:source:../x',
    '__proto__',
    'constructor',
  ])('refuses %j', (text) => {
    expect(refusal(text).code).toBe('token.invalid');
  });

  it('shortens the quoted text', () => {
    expect(refusal('x'.repeat(10_000)).message.length).toBeLessThan(500);
  });
});

describe('parseScopes', () => {
  it('counts a repeated scope once', () => {
    expect(parseScopes(['query', 'observe', 'query'])).toEqual([{ kind: 'query' }, { kind: 'observe' }]);
  });

  it('refuses an empty list, because a token without rights is a mistake', () => {
    expect(() => parseScopes([])).toThrow('at least one scope');
  });
});

it('has no scope for one endpoint or source among all scopes, because the wide ones include them', () => {
  expect(allScopes.map(formatScope)).toEqual(scopeForms.filter((form) => !form.includes('<')));
});
