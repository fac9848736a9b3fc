import { describe, expect, it } from 'vitest';
import type { Session } from '../api/session.ts';
import { emptyForm, formFor, restrictionsOf, scopesOf, type TokenForm } from './tokenForm.ts';

const form: TokenForm = { ...emptyForm, scopes: ['query', 'ingest', 'observe'] };

const signedInAs: Session = {
  tokenId: 'maker',
  description: '',
  scopes: ['query', 'manage'],
  projects: null,
  takesOwnQueries: true,
  isRedacted: false,
  restrictions: {},
  endsAt: null,
};

describe('the form of a token', () => {
  it('restricts nothing that is left empty', () => {
    expect(scopesOf(form)).toEqual(['query', 'ingest', 'observe']);
    expect(restrictionsOf(form)).toEqual({});
  });

  it('narrows the scopes to one endpoint and one source', () => {
    expect(scopesOf({ ...form, endpoint: 'e', source: 's' })).toEqual([
      'query:endpoint:e',
      'ingest:source:s',
      'observe',
    ]);
  });

  it('writes every restriction as the service takes it', () => {
    const all = restrictionsOf({
      ...form,
      projects: ' a  b ',
      isRedacted: true,
      takesOwnQueries: false,
      isStrict: true,
      maxRows: '5',
      concurrency: '2',
      requests: '600',
      networks: '10.0.0.0/8,\n::1',
      parameters: 'project = a=b\ninterval=daily\ninterval=hourly\nnonsense',
    });
    expect(all).toEqual({
      projects: ['a', 'b'],
      parameters: { project: 'a=b', interval: ['daily', 'hourly'] },
      redact: true,
      caller_queries: false,
      strict_parameters: true,
      rate: { requests: 600, seconds: 60 },
      concurrency: 2,
      max_rows: 5,
      networks: ['10.0.0.0/8', '::1'],
    });
  });

  it('leaves out what the service refuses for a token that manages', () => {
    const hidden = { isRedacted: true, takesOwnQueries: false, parameters: 'a=b' };
    expect(restrictionsOf({ ...form, ...hidden, scopes: ['manage'] })).toEqual({});
  });
});

describe('the form for a maker with restrictions', () => {
  it('begins with them, because a token can make none with more rights', () => {
    const restrictions = {
      projects: ['a', 'b'],
      strict_parameters: true,
      rate: { requests: 600, seconds: 30 },
      concurrency: 2,
      max_rows: 5,
      networks: ['10.0.0.0/8'],
    };
    const session = { ...signedInAs, restrictions, endsAt: null };
    expect(restrictionsOf({ ...formFor(session), scopes: ['query'] })).toEqual(restrictions);
  });
});
