import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemRandomness } from '../../../src/core/ids.ts';
import { operationDescriptions } from '../../../src/http/openapi/operationDescriptions.ts';
import { allRoutes } from '../../../src/http/routes/allRoutes.ts';
import { SqlTokenStore } from '../../../src/stores/sql/sqlTokenStore.ts';
import { openDatabase } from '../../../src/stores/sqlite/database.ts';
import { createToken } from '../../../src/tokens/createToken.ts';
import type { TokenRestrictions } from '../../../src/tokens/restrictions.ts';
import { parseScopes } from '../../../src/tokens/scope.ts';
import { at, second } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';

// The description of the API: valid, complete, true, and no wider than the token that reads it.

const now = at('2026-05-01T12:00:00Z');
const logsAll = 'd9a2e433-3286-44d9-a3b2-96b88c809d76';
const retention = '6827ba9b-37ca-425d-8cde-4f10a8dd70f3';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: Readonly<Record<string, unknown>>;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: object }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, object>> }>>;
  readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[];
}

interface Document {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ nowMicros: now, settings: { headerPrefix: 'ACME' } });
  await service.define({
    id: '11111111-1111-4111-8111-111111111111',
    name: 'every.type',
    description: 'A value of each type.',
    sandbox: true,
    query: `with t as (select 1 as n) select @whole as whole, @part as part, @flag as flag, @moment as moment, @day as day,
      b'x' as bytes, [1, 2] as list, struct(timestamp '2026-01-01' as moment, struct(1 as n) as below) as record,
      json '{"a": {"b": 1}}' as nested, datetime '2026-01-01 10:00:00' as dt, time '10:00:00' as t,
      ieee_divide(1, 0) as infinite, cast(null as string) as nothing, @choice as choice, regexp_contains('a', @pattern) as hit,
      @words as words from t`,
    parameters: {
      whole: {
        type: 'int64',
        required: true,
        min: '-9223372036854775808',
        max: '9223372036854775807',
        example: '9007199254740993',
      },
      part: { type: 'float64', default: '0.5' },
      flag: { type: 'bool' },
      moment: { type: 'timestamp', min: '2020-01-01' },
      day: { type: 'date' },
      choice: { type: 'enum', allowed: ['a', 'b'], default: 'a', on_unknown: 'default' },
      pattern: { type: 'regex', max_length: 10 },
      words: { type: 'string', pattern: '^[a-z ]+$', allow_empty: true },
    },
  });
  await service.send('edge_logs', [
    {
      id: 'one',
      timestamp: now - second,
      project: 'own',
      event_message: 'GET',
      metadata: { request: { path: '/rest/v1', url: 'https://own.example/rest/v1' } },
    },
  ]);
});
afterAll(() => service.close());

async function makeToken(scopes: readonly string[], restrictions: TokenRestrictions | null = null): Promise<string> {
  const database = await openDatabase(service.dataDir);
  try {
    const request = { description: '', scopes: parseScopes(scopes), restrictions };
    const made = await createToken(new SqlTokenStore(database), request, systemRandomness, service.clock.nowMicros());
    // The store is looked at twice a second.
    service.clock.advanceMs(1000);
    return made.text;
  } finally {
    await database.destroy();
  }
}

async function ask(token: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${service.url}/openapi.json`, { headers: { 'x-api-key': token, ...headers } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function read(token: string): Promise<Document> {
  const { status, text } = await ask(token);
  expect(status).toBe(200);
  return JSON.parse(text) as Document;
}

function operationsOf(document: Document): readonly string[] {
  return Object.entries(document.paths)
    .flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`))
    .sort();
}

const described = /^\w+ \/api\/endpoints\/query\/(?!\{)/;

describe('the description for all scopes', () => {
  it('is a valid one of OpenAPI 3.1, for each sort of token', async () => {
    for (const token of [
      service.adminToken,
      await makeToken(['query']),
      await makeToken(['ingest']),
      await makeToken(['query'], { projects: ['own'], parameters: { project: ['own'] }, callerQueries: false }),
    ]) {
      const validator = new Validator();
      const outcome = await validator.validate(JSON.parse((await ask(token)).text));
      expect(outcome).toEqual({ valid: true });
      expect(validator.version).toBe('3.1');
    }
  });

  it('holds every route and method of the table, and besides each endpoint by GET and POST', async () => {
    const document = await read(service.adminToken);
    const ofTable = allRoutes
      .flatMap(({ methods, path }) => methods.map((method) => `${method} ${path.replaceAll(/:([^/]+)/g, '{$1}')}`))
      .sort();
    const operations = operationsOf(document);
    expect(operations.filter((operation) => !described.test(operation))).toEqual(ofTable);
    expect(operations.filter((operation) => described.test(operation))).toEqual(
      ['every.type', 'functions.invocation-stats', 'logs.all', retention, 'svc.calls', 'svc.slow', 'usage.api-counts']
        .flatMap((name) => [`GET /api/endpoints/query/${name}`, `POST /api/endpoints/query/${name}`])
        .sort(),
    );
  });

  it('says of each operation of the table what it takes and gives', () => {
    const told = new Set(['endpoints.query', ...Object.keys(operationDescriptions)]);
    expect(allRoutes.map(({ operation }) => operation).filter((operation) => !told.has(operation))).toEqual([]);
  });

  it('names each operation once, and shows how to call it in curl and TypeScript', async () => {
    const document = await read(service.adminToken);
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(['logsAll', 'logsAllByPost', 'logsAll6827ba9b', 'events.append']));
    for (const operation of operations)
      expect(operation['x-codeSamples'].map(({ lang }) => lang)).toEqual(['Shell', 'TypeScript']);
  });

  it('points at nothing that is not there', async () => {
    const { text } = await ask(service.adminToken);
    const document = JSON.parse(text);
    const targets = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target = '']) => target));
    expect(targets.size).toBeGreaterThan(20);
    for (const target of targets) {
      const found = target.split('/').reduce((at, part) => at?.[part], document);
      expect(found, target).toBeDefined();
    }
  });
});

describe('the parameters of an endpoint', () => {
  it('have their type, bounds, values, default and example, with every digit', async () => {
    const { text } = await ask(service.adminToken);
    expect(text).toContain('"minimum":-9223372036854775808,"maximum":9223372036854775807');
    expect(text).toContain('"examples":[9007199254740993]');
    const document = JSON.parse(text) as Document;
    const { get } = document.paths['/api/endpoints/query/every.type'] ?? {};
    const inUrl = get?.parameters.filter((parameter) => parameter.in === 'query');
    expect(inUrl?.map(({ name, required }) => [name, required])).toEqual([
      ['whole', true],
      ...[
        'part',
        'flag',
        'moment',
        'day',
        'choice',
        'pattern',
        'words',
        'sql',
        'lql',
        'version',
        'format',
        'csv_guard',
        'bom',
        'page_size',
        'cursor',
        'dry_run',
      ].map((name) => [name, false]),
    ]);
    expect(inUrl?.find(({ name }) => name === 'choice')?.schema).toEqual({
      type: 'string',
      enum: ['a', 'b'],
      default: 'a',
    });
    expect(inUrl?.find(({ name }) => name === 'words')?.schema).toEqual({ type: 'string', pattern: '^[a-z ]+$' });
  });

  it('come with the headers of the installation', async () => {
    const document = await read(service.adminToken);
    const headers = (path: string) =>
      document.paths[path]?.get?.parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name);
    expect(headers('/api/endpoints/query/logs.all')).toEqual([
      'ACME-ENDPOINT-REDACT-PII',
      'ACME-ENDPOINT-VALUES',
      'Prefer',
      'If-None-Match',
    ]);
    expect(headers('/api/endpoints/query/usage.api-counts')).toContain('Cache-Control');
  });
});

describe('the schema of a request', () => {
  it('accepts the example of its operation', async () => {
    const document = await read(service.adminToken);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const tried = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, requestBody }) => {
        const example = operationDescriptions[operationId]?.body?.example;
        const schema = requestBody?.content['application/json']?.schema;
        if (example === undefined || schema === undefined) return [];
        const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
        validate(JSON.parse(example));
        return [[operationId, validate.errors ?? []]];
      });
    expect(tried.length).toBeGreaterThan(15);
    expect(tried.filter(([, errors]) => errors?.length !== 0)).toEqual([]);
  });

  it('is what the service accepts: a token has no other members, and one scope at least', async () => {
    const document = await read(service.adminToken);
    const schema = document.paths['/api/tokens']?.post?.requestBody?.content['application/json']?.schema;
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema ?? false);
    const answers = await Promise.all(
      [
        { scopes: ['query'] },
        { scopes: ['query'], restrictions: { projects: ['own'], parameters: { project: 'own' }, max_rows: 5 } },
        { scopes: ['query'], expires_at: '2027-01-31T00:00:00Z' },
        { scopes: [] },
        { scopes: ['query'], expires_at: 'tomorrow' },
        { scopes: ['query'], restriction: {} },
        { scopes: ['query'], restrictions: { project: ['own'] } },
        { scopes: ['query'], restrictions: { projects: [] } },
        { scopes: ['query'], restrictions: { max_rows: 0 } },
      ].map(async (body) => {
        const response = await fetch(`${service.url}/api/tokens`, {
          method: 'POST',
          headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        return [response.status === 201, validate(body)];
      }),
    );
    expect(answers).toEqual([...Array(3).fill([true, true]), ...Array(6).fill([false, false])]);
  });
});

describe('the schema of an answer is true', () => {
  const validatorOf = (document: Document, path: string, method: string, status = '200') => {
    const schema = document.paths[path]?.[method]?.responses[status]?.content?.['application/json'];
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const ofAnswer = (schema as { readonly schema?: object } | undefined)?.schema;
    expect(ofAnswer).toBeDefined();
    return ajv.compile(JSON.parse(JSON.stringify(ofAnswer).replaceAll('"#/', '"api#/')));
  };

  it.each([
    ['every.type', { whole: '1', moment: '2026-01-01' }],
    ['logs.all', { project: 'own' }],
    ['usage.api-counts', { project: 'own', interval: 'daily' }],
    ['functions.invocation-stats', { project: 'own', interval: '1day', fill: 'zero' }],
    ['svc.calls', {}],
    ['logs.all', { project: 'own', sql: 'select 1 as other' }],
    ['logs.all', { project: 'own', dry_run: 'true' }],
  ] as const)('for %s with %j, in both profiles', async (name, parameters) => {
    const validate = validatorOf(await read(service.adminToken), `/api/endpoints/query/${name}`, 'get');
    for (const profile of ['plain', 'records']) {
      const { status, body } = await service.call(name, parameters, { headers: { 'ACME-ENDPOINT-VALUES': profile } });
      expect([status, body.detail]).toEqual([200, undefined]);
      validate(body);
      expect(validate.errors ?? []).toEqual([]);
    }
  });

  it('and refuses what is no such row', async () => {
    const document = await read(await makeToken(['query'], { projects: null, callerQueries: false }));
    const validate = validatorOf(document, '/api/endpoints/query/logs.all', 'get');
    const { body } = await service.call('logs.all', { project: 'own' });
    expect(validate(body)).toBe(true);
    expect(body.result).toHaveLength(1);
    expect(validate({ ...body, result: [{ ...body.result[0], id: 7 }] })).toBe(false);
    expect(validate({ ...body, result: [{ id: 'one' }] })).toBe(false);
    expect(validate({ result: body.result })).toBe(false);
  });

  it.each([
    ['/api/endpoints', '/api/endpoints?limit=2'],
    ['/api/endpoints/{id}', `/api/endpoints/${logsAll}`],
    ['/api/endpoints/{id}/versions', `/api/endpoints/${logsAll}/versions`],
    ['/api/endpoints/{id}/versions/{version}', `/api/endpoints/${logsAll}/versions/1`],
    ['/api/endpoints/{id}/diff', `/api/endpoints/${logsAll}/diff?from=1&to=1`],
    ['/api/tokens', '/api/tokens?state=all'],
    ['/api/sources', '/api/sources'],
    ['/api/audit', '/api/audit'],
    ['/api/queries', '/api/queries'],
    ['/readyz', '/readyz'],
  ])('for GET %s', async (path, url) => {
    const validate = validatorOf(await read(service.adminToken), path, 'get');
    const response = await fetch(`${service.url}${url}`, { headers: { 'x-api-key': service.adminToken } });
    expect(response.status).toBe(200);
    validate(await response.json());
    expect(validate.errors ?? []).toEqual([]);
  });

  it.each(['/api/endpoints', '/api/endpoints/check', '/api/endpoints/deploy', '/api/tokens', '/api/sources'])(
    'for POST %s of its own example',
    async (path) => {
      const document = await read(service.adminToken);
      const { post } = document.paths[path] ?? {};
      const [, body] = /--data-binary '(.*)'$/s.exec(post?.['x-codeSamples'][0]?.source ?? '') ?? [];
      const response = await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { 'x-api-key': service.adminToken, 'content-type': 'application/json' },
        body: (body ?? '').replace('errors.by-path', `made${path.replaceAll('/', '.')}`),
      });
      const answer = await response.json();
      expect(Object.keys(post?.responses ?? {}), JSON.stringify(answer)).toContain(String(response.status));
      expect(response.status).toBeLessThan(300);
      const validate = validatorOf(document, path, 'post', String(response.status));
      validate(answer);
      expect(validate.errors ?? []).toEqual([]);
    },
  );

  it('for errors', async () => {
    const document = await read(service.adminToken);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const validate = ajv.compile(document.components.schemas.Problem ?? false);
    for (const parameters of [{}, { project: 'own', sql: 'select x from edge_logs' }] as const) {
      const { status, body } = await service.call('logs.all', parameters);
      expect(status).toBe(400);
      expect([validate(body), validate.errors]).toEqual([true, null]);
    }
  });
});

describe('what a token is told', () => {
  it('is only what it may call', async () => {
    const limited = await read(await makeToken([`query:endpoint:${logsAll}`]));
    const operations = operationsOf(limited);
    expect(operations.filter((operation) => described.test(operation))).toEqual([
      'GET /api/endpoints/query/logs.all',
      'POST /api/endpoints/query/logs.all',
    ]);
    expect(operations.some((operation) => operation.includes('/api/logs'))).toBe(false);
    expect(operations.some((operation) => operation.includes('purge'))).toBe(false);
    expect(JSON.stringify(limited)).not.toContain('usage.api-counts');
    const ingest = operationsOf(await read(await makeToken(['ingest'])));
    expect(ingest).toContain('POST /api/logs');
    expect(ingest.some((operation) => operation.includes('/query/'))).toBe(false);
  });

  it('has a parameter that it is locked to as fixed, and no endpoint without that parameter', async () => {
    const document = await read(await makeToken(['query'], { projects: null, parameters: { project: ['own'] } }));
    const [project] = document.paths['/api/endpoints/query/logs.all']?.get?.parameters ?? [];
    expect(project).toMatchObject({ name: 'project', required: false, schema: { const: 'own' } });
    expect(document.paths).not.toHaveProperty(['/api/endpoints/query/every.type']);
  });

  it('has no queries of its own where it may not send them', async () => {
    const document = await read(await makeToken(['query'], { projects: null, callerQueries: false }));
    for (const [path, operations] of Object.entries(document.paths))
      for (const { parameters } of Object.values(operations))
        expect(
          parameters.map(({ name }) => name),
          path,
        ).not.toContain('sql');
  });

  it('names the projects that it is restricted to', async () => {
    const document = await read(await makeToken(['query'], { projects: ['own'] }));
    expect(document.info.description).toContain('events of own');
    const projectOf = (name: string) =>
      document.paths[`/api/endpoints/query/${name}`]?.get?.parameters.find((parameter) => parameter.name === 'project');
    expect(projectOf('logs.all')).toMatchObject({ required: true, schema: { enum: ['own'] } });
    // A pattern names no project: it finds what it finds among those of the token.
    expect(projectOf('usage.api-counts')?.schema).not.toHaveProperty('enum');
  });

  it('is nothing without a token', async () => {
    expect((await fetch(`${service.url}/openapi.json`)).status).toBe(401);
  });
});

describe('the entity tag', () => {
  it('is the same for tokens that may do the same, and answers with 304', async () => {
    const [one, other] = [await ask(await makeToken(['query'])), await ask(await makeToken(['query']))];
    expect(one.headers.get('etag')).toMatch(/^W\/"[\w-]{32}"$/);
    expect(other.headers.get('etag')).toBe(one.headers.get('etag'));
    const again = await ask(await makeToken(['query']), { 'if-none-match': one.headers.get('etag') ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it('changes with the endpoints', async () => {
    const token = await makeToken(['query']);
    const before = await ask(token);
    await service.define({ id: '22222222-2222-4222-8222-222222222222', name: 'new.one', query: 'select 1 as n' });
    const after = await ask(token, { 'if-none-match': before.headers.get('etag') ?? '' });
    expect(after.status).toBe(200);
    expect(after.text).toContain('/api/endpoints/query/new.one');
  });
});
