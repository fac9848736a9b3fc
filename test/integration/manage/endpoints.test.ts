import { describe, expect, it } from 'vitest';
import { managementRoutes } from '../../../src/http/routes/endpoints/managementRoutes.ts';
import { SqlAuditTrail } from '../../../src/stores/sql/sqlAuditTrail.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { example, managedTests } from './managedService.ts';

const { ask, call, create, managed } = managedTests();

describe('POST /api/endpoints', () => {
  it('creates an endpoint that can be called at once, and says where it is', async () => {
    const { status, headers, body } = await ask('POST', '?note=the%20first', { ...example, name: 'create.one' });
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`/api/endpoints/${body.endpoint.id}`);
    expect(headers.get('etag')).toBe('"1.1"');
    expect(body).toMatchObject({
      outcome: 'created',
      diff: null,
      endpoint: { name: 'create.one', version: 1, primary: true, note: 'the first', max_rows: 1000 },
    });
    expect(body.endpoint.author).toBeTypeOf('string');
    const { body: answer } = await call('create.one', { n: '41', label: 'x' });
    expect(answer.result).toEqual([{ next: 42, label: 'x' }]);
  });

  it('takes an id, refuses it twice with 409, and also after the endpoint was deleted', async () => {
    const id = '0aa00000-0000-4000-8000-000000000001';
    expect((await ask('POST', '', { ...example, id, name: 'create.id' })).status).toBe(201);
    const again = await ask('POST', '', { ...example, id, name: 'create.other' });
    expect([again.status, again.body.code]).toEqual([409, 'definition.conflict']);
    expect((await ask('DELETE', `/${id}?allow_breaking=true`)).status).toBe(200);
    expect((await ask('POST', '', { ...example, id })).body.code).toBe('definition.conflict');
  });

  it('answers 422 with line and column of the query where it does not compile', async () => {
    const { status, body } = await ask('POST', '', { ...example, query: 'select @n,\n  @label, nothing' });
    expect([status, body.code]).toEqual([422, 'definition.invalid']);
    expect(body.errors[0]).toMatchObject({ line: 2, column: 11 });
  });

  it('answers 422 naming every field that is wrong, with the nearest name', async () => {
    const { status, body } = await ask('POST', '', { ...example, max_row: 1, cache_seconds: -1 });
    expect(status).toBe(422);
    expect(body.errors.map(({ token }: { token: string }) => token).sort()).toEqual(['cache_seconds', 'max_row']);
    expect(body.errors.find(({ token }: { token: string }) => token === 'max_row').nearest).toBe('max_rows');
  });

  it('refuses integers that lost digits, duplicate members, other types and other parameters', async () => {
    const bad = { ...example, name: 'create.bad' };
    const raw = (body: string, type = 'application/json') =>
      fetch(`${managed().service.url}/api/endpoints`, {
        method: 'POST',
        headers: { 'x-api-key': managed().service.adminToken, 'content-type': type },
        body,
      });
    const text = JSON.stringify({ ...bad, parameters: { ...bad.parameters, n: { type: 'int64', min: 0 } } });
    const large = await raw(text.replace('"min":0', '"min":9007199254740993'));
    expect([large.status, await large.text()]).toEqual([422, expect.stringContaining('put it in quotes')]);
    expect((await raw('{"name":"a","name":"b"}')).status).toBe(400);
    expect((await raw(text, 'text/plain')).status).toBe(415);
    expect((await raw('')).status).toBe(400);
    const misspelt = await ask('POST', '?dryrun=true', bad);
    expect([misspelt.status, misspelt.body.errors[0].nearest]).toEqual([400, 'dry_run']);
    expect((await ask('GET', '?name=create.bad')).body.result).toEqual([]);
  });

  it('keeps nothing of a dry run, which tells conflicts all the same', async () => {
    const dry = await ask('POST', '?dry_run=true', { ...example, name: 'create.dry' });
    expect([dry.status, dry.body.outcome, dry.body.endpoint.version]).toEqual([200, 'created', 1]);
    expect((await call('create.dry', { n: '1' })).status).toBe(404);
    const { id } = await create({ name: 'create.dry' });
    expect((await ask('POST', '?dry_run=true', { ...example, id })).status).toBe(409);
  });
});

describe('GET /api/endpoints', () => {
  it('gives each endpoint once over pages, without queries, and those of one name', async () => {
    for (const name of ['list.a', 'list.b', 'list.b']) await create({ name, primary: false });
    const seen: string[] = [];
    let next: string | null = '';
    do {
      const page = await ask('GET', `?limit=2${next}`);
      expect(page.body.result.length).toBeLessThanOrEqual(2);
      for (const each of page.body.result) {
        expect(each).not.toHaveProperty('query');
        seen.push(each.id);
      }
      next = page.body.next === null ? null : `&cursor=${page.body.next}`;
    } while (next !== null);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toContain('d9a2e433-3286-44d9-a3b2-96b88c809d76');
    const { body } = await ask('GET', '?name=list.b');
    expect(body.result.map(({ name }: { name: string }) => name)).toEqual(['list.b', 'list.b']);
    expect(body.result.filter(({ primary }: { primary: boolean }) => primary)).toHaveLength(1);
    expect((await ask('GET', '?cursor=nonsense')).status).toBe(400);
    expect((await ask('GET', '?nam=x')).body.errors[0].nearest).toBe('name');
  });
});

describe('GET /api/endpoints/{id}', () => {
  it('gives what PUT takes back unchanged without making a version', async () => {
    const { id } = await create({ name: 'read.round' });
    const read = await ask('GET', `/${id}`);
    expect(read.headers.get('etag')).toBe('"1.1"');
    const { status, body } = await ask('PUT', `/${id}`, read.body);
    expect([status, body.outcome, body.endpoint.version]).toEqual([200, 'unchanged', 1]);
  });

  it('is 404 for ids that are not there, names included, with the way to find them', async () => {
    expect((await ask('GET', '/99999999-9999-4999-8999-999999999999')).body.code).toBe('endpoint.unknown');
    const { body } = await ask('GET', '/logs.all');
    expect(body).toMatchObject({ code: 'endpoint.unknown', detail: expect.stringContaining('?name=') });
  });
});

describe('PUT and PATCH /api/endpoints/{id}', () => {
  it('make numbered versions, and calls see the newest at once', async () => {
    const { id } = await create({ name: 'change.one' });
    const query = example.query.replace('n + 1', 'n + 2');
    const put = await ask('PUT', `/${id}?note=two`, { ...example, name: 'change.one', query });
    expect([put.status, put.body.outcome, put.body.endpoint.version]).toEqual([200, 'changed', 2]);
    expect(put.body.diff.query).toContain('+select n + 2 as next');
    expect((await call('change.one', { n: '1', label: '' })).body.result).toEqual([{ next: 3, label: null }]);
    const patch = await ask('PATCH', `/${id}`, { max_rows: 5, parameters: { label: { example: 'x' } } });
    expect(patch.body.endpoint).toMatchObject({ version: 3, max_rows: 5, query });
    expect(patch.body.endpoint.parameters).toMatchObject({ n: { required: true }, label: { example: 'x' } });
    expect(patch.body.diff).toMatchObject({
      query: null,
      parameters: [{ name: 'label', change: 'changed', fields: [{ field: 'example', from: null, to: 'x' }] }],
      settings: [{ field: 'max_rows', from: 1000, to: 5 }],
      breaking: [],
    });
    const cleared = await ask('PATCH', `/${id}`, { max_rows: null });
    expect(cleared.body.endpoint).toMatchObject({ version: 4, max_rows: 1000 });
  });

  it('are refused with 412 where somebody else was faster, and nothing is lost', async () => {
    const { id, tag } = await create({ name: 'change.lost' });
    const match = { 'if-match': tag };
    expect((await ask('PATCH', `/${id}`, { max_rows: 2 }, match)).status).toBe(200);
    for (const [method, path, body] of [
      ['PATCH', '', { max_rows: 3 }],
      ['PUT', '', { ...example, name: 'change.lost' }],
      ['DELETE', '', undefined],
      ['POST', '/restore', { version: 1 }],
      ['POST', '/primary', undefined],
    ] as const) {
      const lost = await ask(method, `/${id}${path}`, body, match);
      expect([method, path, lost.status, lost.body.code]).toEqual([method, path, 412, 'request.precondition_failed']);
    }
    expect((await ask('GET', `/${id}`)).body).toMatchObject({ version: 2, max_rows: 2 });
    expect((await ask('PATCH', `/${id}`, { max_rows: 4 }, { 'if-match': 'W/"2.1"' })).status).toBe(412);
    expect((await ask('PATCH', `/${id}`, { max_rows: 4 }, { 'if-match': 'nonsense' })).status).toBe(400);
    expect((await ask('PATCH', `/${id}`, { max_rows: 4 }, { 'if-match': '"9.1", "2.1"' })).status).toBe(200);
    expect((await ask('PATCH', `/${id}`, { max_rows: 5 }, { 'if-match': '*' })).status).toBe(200);
  });

  it('never change an id, and tell a definition that does not compile with 422', async () => {
    const { id } = await create({ name: 'change.id' });
    const other = await ask('PATCH', `/${id}`, { id: '99999999-9999-4999-8999-999999999999' });
    expect([other.status, other.body.errors[0].token]).toEqual([422, 'id']);
    expect((await ask('PATCH', `/${id}`, { query: 'select @n, @label from' })).status).toBe(422);
    expect((await ask('PATCH', `/${id}`, [])).status).toBe(422);
    expect((await ask('GET', `/${id}`)).body.version).toBe(1);
  });
});

describe('changes that break callers', () => {
  const rows = 'with numbers as (select @n as n)';
  it.each<[string, Record<string, unknown>, string, string]>([
    ['a column that is gone', { query: `${rows} select @label as label from numbers` }, 'column.removed', 'next'],
    [
      'a column of another type',
      { query: `${rows} select cast(n as string) as next, @label as label from numbers` },
      'column.retyped',
      'next',
    ],
    [
      'a parameter that is gone',
      { query: `${rows} select n + 1 as next, 'x' as label from numbers`, parameters: { label: null } },
      'parameter.removed',
      'label',
    ],
    [
      'a parameter of another type',
      {
        query: `${rows} select n + 1 as next, cast(@label as string) as label from numbers`,
        parameters: { label: { type: 'int64' } },
      },
      'parameter.retyped',
      'label',
    ],
    ['a parameter that becomes required', { parameters: { label: { required: true } } }, 'parameter.required', 'label'],
    [
      'a table that queries of callers read',
      { query: 'with n2 as (select @n as n) select n + 1 as next, @label as label from n2' },
      'table.removed',
      'numbers',
    ],
    ['no more queries of callers', { sandbox: false }, 'sandbox.closed', 'sandbox'],
    ['another name', { name: 'break.renamed' }, 'name.changed', 'break.one'],
    ['strict parameters', { strict_parameters: true }, 'parameters.strict', 'strict_parameters'],
  ])('are refused: %s', async (_title, patch, rule, name) => {
    const { id } = await create({ name: 'break.one' });
    try {
      const refused = await ask('PATCH', `/${id}`, patch);
      expect([refused.status, refused.body.code]).toEqual([409, 'definition.breaking']);
      expect(refused.body.errors).toEqual([expect.objectContaining({ rule, token: name })]);
      const dry = await ask('PATCH', `/${id}?dry_run=true`, patch);
      expect([dry.status, dry.body.diff.breaking]).toEqual([200, [expect.objectContaining({ rule, name })]]);
      expect((await ask('GET', `/${id}`)).body.version).toBe(1);
      const allowed = await ask('PATCH', `/${id}?allow_breaking=true`, patch);
      expect([allowed.status, allowed.body.endpoint.version]).toEqual([200, 2]);
    } finally {
      await ask('DELETE', `/${id}?allow_breaking=true`);
    }
  });

  it('name all tokens that called lately, to a token that is restricted to projects its own alone', async () => {
    const { id } = await create({ name: 'break.callers' });
    const wide = await managed().service.makeToken(['manage', 'query']);
    const narrow = await managed().service.makeToken(['manage', 'query'], ['mine']);
    const idOf = (token: string) => token.slice('lm_'.length, 'lm_'.length + 12);
    for (const token of [wide, wide, narrow]) {
      const headers = { 'x-api-key': token };
      const { status } = await managed().service.call('break.callers', { n: '1', label: 'x' }, { headers });
      expect(status).toBe(200);
    }
    const told = async (token: string) => {
      const as = { 'x-api-key': token };
      const refused = await ask('PATCH', `/${id}`, { sandbox: false }, as);
      const dry = await ask('PATCH', `/${id}?dry_run=true`, { sandbox: false }, as);
      expect([refused.status, refused.body.code, dry.status]).toEqual([409, 'definition.breaking', 200]);
      const named = dry.body.callers.map(({ token: of }: { token: string }) => of);
      expect(refused.body.errors[0].callers).toEqual(named);
      return { named, texts: JSON.stringify([refused.body, dry.body]) };
    };
    expect((await told(wide)).named).toEqual([idOf(wide), idOf(narrow)]);
    const own = await told(narrow);
    expect(own.named).toEqual([idOf(narrow)]);
    expect(own.texts).toContain('This token called it once in the last 30 days. Other callers are not shown');
    expect(own.texts).not.toContain(idOf(wide));
  });

  it('are not those that only add: a column, an optional parameter, a table, an allowed value', async () => {
    const { id } = await create({ name: 'break.not' });
    const query =
      'with numbers as (select @n as n, 1 as one), more as (select 1 as x) select n + 1 as next, @label as label, @p as p from numbers';
    const { status, body } = await ask('PATCH', `/${id}`, { query, parameters: { p: { type: 'string' } } });
    expect([status, body.diff.breaking]).toEqual([200, []]);
    expect(body.diff.columns).toEqual([{ name: 'p', change: 'added', from: null, to: 'STRING' }]);
  });
});

describe('versions of an endpoint', () => {
  it('are listed, read, compared, restored and never altered', async () => {
    const { id } = await create({ name: 'versions.one' });
    const { body: first } = await ask('GET', `/${id}`);
    managed().service.clock.advanceMs(60_000);
    await ask('PATCH', `/${id}?note=more`, { query: example.query.replace('n + 1', 'n + 10') });
    await ask('PATCH', `/${id}?allow_breaking=true`, { query: 'select @n as n, @label as label' });

    const list = await ask('GET', `/${id}/versions?limit=2`);
    expect(list.body.result.map(({ version, note }: Record<string, unknown>) => [version, note])).toEqual([
      [3, ''],
      [2, 'more'],
    ]);
    expect(list.body.result[1]).toMatchObject({ created_at: '2026-05-01T00:01:00.000000Z', author: first.author });
    const rest = await ask('GET', `/${id}/versions?limit=2&cursor=${list.body.next}`);
    expect([rest.body.result.length, rest.body.next]).toEqual([1, null]);
    expect((await ask('GET', `/${id}/versions/1`)).body).toEqual(first);

    const diff = await ask('GET', `/${id}/diff?from=1&to=3`);
    expect(diff.body).toMatchObject({
      id,
      from: 1,
      to: 3,
      columns: [
        { name: 'next', change: 'removed', from: 'INT64', to: null },
        { name: 'n', change: 'added', from: null, to: 'INT64' },
      ],
    });
    expect(diff.body.breaking.map(({ rule }: { rule: string }) => rule)).toEqual(['column.removed', 'table.removed']);
    expect(diff.body.query).toMatch(/^--- version 1\n\+\+\+ version 3\n@@ /);
    expect((await ask('GET', `/${id}/diff`)).body).toMatchObject({ from: 2, to: 3 });

    const refused = await ask('POST', `/${id}/restore`, { version: 1 });
    expect([refused.status, refused.body.code]).toEqual([409, 'definition.breaking']);
    const restored = await ask('POST', `/${id}/restore?allow_breaking=true`, { version: 1 });
    expect(restored.body.endpoint).toMatchObject({ version: 4, query: example.query, note: 'Restored from version 1' });
    expect((await call('versions.one', { n: '1' })).body.result).toEqual([{ next: 2, label: null }]);
    expect((await ask('GET', `/${id}/versions/3`)).body.query).toBe('select @n as n, @label as label');
  });

  it('that are not there are 404, and what is no number is 400', async () => {
    const { id } = await create({ name: 'versions.none' });
    for (const path of ['/versions/2', '/diff?from=1&to=7'])
      expect((await ask('GET', `/${id}${path}`)).body.code).toBe('endpoint.version_unknown');
    expect((await ask('POST', `/${id}/restore`, { version: 9 })).body.code).toBe('endpoint.version_unknown');
    for (const path of ['/versions/0', '/versions/x', '/diff?from=-1'])
      expect((await ask('GET', `/${id}${path}`)).status).toBe(400);
    expect((await ask('POST', `/${id}/restore`, { version: '1' })).status).toBe(400);
  });
});

describe('calling an old version', () => {
  it('needs the scope query:version, and runs that version with its own parameters', async () => {
    const { id } = await create({ name: 'versions.called' });
    await ask('PATCH', `/${id}?allow_breaking=true`, {
      query: 'with numbers as (select @m as m) select m * 2 as twice from numbers',
      parameters: { n: null, label: null, m: { type: 'int64' } },
    });
    const withToken = async (scopes: readonly string[], parameters: Record<string, string>) => {
      const headers = { 'x-api-key': await managed().service.makeToken(scopes) };
      return managed().service.call('versions.called', parameters, { headers });
    };
    const old = await withToken(['query', 'query:version'], { version: '1', n: '1' });
    expect(old.body.result).toEqual([{ next: 2, label: null }]);
    expect(old.body.meta.endpoint).toEqual({ id, name: 'versions.called', version: 1 });
    const own = await withToken(['query', 'query:version'], { version: '1', n: '1', sql: 'select n from numbers' });
    expect(own.body.result).toEqual([{ n: 1 }]);
    const current = await withToken(['query', 'query:version'], { version: '2', m: '4' });
    expect(current.body.result).toEqual([{ twice: 8 }]);
    expect((await withToken(['query'], { version: '1', n: '1' })).body.code).toBe('auth.scope');
    expect((await withToken(['query', 'query:version'], { version: '3' })).body.code).toBe('endpoint.version_unknown');
    for (const version of ['1.0', ' 1', '1 '])
      expect((await withToken(['query', 'query:version'], { version })).body.code).toBe('parameter.invalid');
    expect((await withToken(['query'], { version: ' ', m: '4' })).body.result).toEqual([{ twice: 8 }]);
  });

  it('opens nothing that the current version has closed', async () => {
    const { id } = await create({
      name: 'versions.closed',
      query: 'with t as (select @label as label, @n as n) select label from t',
    });
    await ask('PATCH', `/${id}?allow_breaking=true`, { redact_pii: true, sandbox: false });
    const headers = { 'x-api-key': await managed().service.makeToken(['query', 'query:version']) };
    const parameters = { version: '1', n: '1', label: 'from 203.0.113.7' };
    const { body } = await managed().service.call('versions.closed', parameters, { headers });
    expect(body.result).toEqual([{ label: 'from [REDACTED:ip]' }]);
    const own = await managed().service.call('versions.closed', { ...parameters, sql: 'select n from t' }, { headers });
    expect(own.body.code).toBe('sandbox.disabled');
  });
});

describe('every route of the management of endpoints', () => {
  it('is refused to a token that has every scope but manage, before anything is looked at', async () => {
    const token = await managed().service.makeToken(['query', 'query:version', 'query:explain', 'ingest', 'observe']);
    for (const { methods, path } of managementRoutes) {
      for (const method of methods) {
        const response = await fetch(managed().service.url + path.replace(':id', 'nothing').replace(':version', 'x'), {
          method,
          headers: { 'x-api-key': token, 'content-type': 'application/json' },
          ...(method === 'GET' || method === 'DELETE' ? {} : { body: '{' }),
        });
        const { code } = JSON.parse(await response.text());
        expect([method, path, response.status, code]).toEqual([method, path, 403, 'auth.scope']);
      }
    }
    expect(managementRoutes.length).toBeGreaterThan(10);
  });
});

describe('the audit trail', () => {
  it('tells who changed which endpoint to which version', async () => {
    const { id } = await create({ name: 'audit.one' });
    await ask('PATCH', `/${id}`, { max_rows: 3 }, { 'x-request-id': 'audited-change-1' });
    await ask('PATCH', `/${id}?dry_run=true`, { max_rows: 4 });
    await ask('DELETE', `/${id}?allow_breaking=true`);
    const database = await openDatabase(managed().service.dataDir);
    const entries = await new SqlAuditTrail(database).list({ limit: 10, beforeSequence: null, actor: null });
    await database.destroy();
    const ours = entries.filter(({ target }) => target === id);
    expect(ours.map(({ action, version }) => [action, version])).toEqual([
      ['endpoint.delete', 2],
      ['endpoint.change', 2],
      ['endpoint.create', 1],
    ]);
    expect(ours[1]).toMatchObject({ requestId: 'audited-change-1', actor: expect.stringMatching(/^\w+$/) });
  });
});
