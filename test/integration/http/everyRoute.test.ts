import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCatalogue } from '../../../src/core/errorCatalogue.ts';
import { responseHeaders } from '../../../src/http/headerTable.ts';
import { jsonType } from '../../../src/http/route.ts';
import { allRoutes } from '../../../src/http/routes/allRoutes.ts';
import { type ExampleService, endpoints, startExampleService } from './exampleService.ts';

// What holds for every route of the table, those that will be added to it too.

let service: ExampleService;
beforeAll(async () => {
  service = await startExampleService({ requestsPerMinute: 100_000, corsOrigins: ['https://page.example'] });
});
afterAll(() => service.server.close());

const documented = new Set(responseHeaders.map(({ name }) => name.toLowerCase()));
const noContent = "default-src 'none'; frame-ancestors 'none'";
const fixed = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  vary: 'X-API-KEY, Authorization, Accept, Accept-Encoding, Origin, SVC-ENDPOINT-REDACT-PII, SVC-ENDPOINT-VALUES',
} as const;

/** A path of the route that leads to nothing there is. */
const filled = (path: string) => path.replaceAll(/:[^/]+/g, '99999999-9999-4999-8999-999999999999');

/** Paths whose errors are not problem documents, as another protocol wants them. */
const withOwnErrors = new Set(
  allRoutes.filter(({ operation }) => /^(otlp|elastic)\./.test(operation)).map(({ path }) => filled(path)),
);

interface Ask {
  readonly method: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Calls, and holds the answer to what every answer has. */
async function ask(path: string, { method, token = 'admin-token', headers = {} }: Ask) {
  const response = await service.call(path, { method, token, headers, redirect: 'manual' });
  const text = await response.text();
  const given = Object.fromEntries(response.headers);
  expect(given).toMatchObject(fixed);
  // Only the reference page and the console may load anything.
  const isPage = /^\/(docs|console\/)/.test(path) && response.status === 200;
  expect(given['content-security-policy'] === noContent).toBe(!isPage);
  expect(given['cache-control']).toBeDefined();
  expect(given['x-request-id']).toMatch(/^[\w-]{8,}$/);
  expect(Object.keys(given).filter((name) => !documented.has(name))).toEqual([]);
  if (response.status >= 400) {
    const isStatus = response.status !== 405 && withOwnErrors.has(path);
    expect(given['content-type']).toBe(isStatus ? 'application/json' : 'application/problem+json');
    expect(given['cache-control']).toBe('no-store');
    if (!isStatus && method !== 'HEAD') expectProblem(text, response.status, given['x-request-id']);
  }
  if (method === 'HEAD' || response.status === 204) expect(text).toBe('');
  return {
    status: response.status,
    headers: given,
    text,
    code: response.status >= 400 && text !== '' ? codeIn(text) : null,
  };
}

function expectProblem(text: string, status: number, requestId: string | undefined): void {
  const body = JSON.parse(text);
  const code = codeIn(text);
  expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'detail', 'code', 'request_id', 'errors', 'error']);
  expect([body.status, errorCatalogue[code].status, body.request_id]).toEqual([status, status, requestId]);
  expect(body.error).toEqual({ message: body.detail, code });
}

function codeIn(text: string): keyof typeof errorCatalogue {
  const { code, details, error } = JSON.parse(text);
  return details?.[0].reason ?? error?.type ?? code;
}

const paths = [...new Set(allRoutes.map(({ path }) => path))];
const methodsOf = (path: string): readonly string[] => {
  const methods = allRoutes.filter((route) => route.path === path).flatMap((route): string[] => [...route.methods]);
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].sort();
};
const operations = allRoutes.flatMap((route) =>
  methodsOf(route.path)
    .filter((method) => route.methods.some((each) => each === method || (each === 'GET' && method === 'HEAD')))
    .map((method) => ({ method, route, path: filled(route.path) })),
);
const withToken = operations.filter(({ route }) => route.credential === 'token');
const withoutToken = operations.filter(({ route }) => route.credential === 'none');

it('walks routes of both sorts', () => {
  expect(withToken.length).toBeGreaterThan(5);
  expect(withoutToken.length).toBeGreaterThan(2);
});

describe.each(withToken)('$method $path', ({ method, path }) => {
  it('needs a token: 401 with the way to send one', async () => {
    const [missing, unknown] = [
      await ask(path, { method, token: null }),
      await ask(path, { method, token: 'nonsense' }),
    ];
    expect([missing.status, unknown.status]).toEqual([401, 401]);
    expect(missing.headers['www-authenticate']).toBe('Bearer realm="logmill"');
    expect(unknown.headers['www-authenticate']).toContain('error="invalid_token"');
    if (method !== 'HEAD') expect([missing.code, unknown.code]).toEqual(['auth.missing', 'auth.invalid']);
  });

  it('is refused to a token without any scope: 403', async () => {
    const { status, code } = await ask(path, { method, token: 'powerless-token' });
    expect(status).toBe(403);
    if (method !== 'HEAD') expect(code).toBe('auth.scope');
  });

  it('tells nothing more where the request is wrong besides', async () => {
    const headers = { accept: 'image/png', 'content-type': 'nonsense' };
    expect((await ask(path, { method, token: null, headers })).status).toBe(401);
    expect((await ask(path, { method, token: 'powerless-token', headers })).status).toBe(403);
  });
});

it.each(withoutToken)('$method $path needs no token, and takes a wrong one', async ({ method, path }) => {
  for (const token of [null, 'nonsense']) {
    const { status, headers } = await ask(path, { method, token });
    // The file of this name is not there.
    const found = path.startsWith('/console/assets/') ? 404 : 200;
    expect(status).toBe(headers.location === undefined ? found : 302);
  }
});

describe.each(operations)('$method $path and the form of its answer', ({ method, path, route }) => {
  it('is refused where it can be read and Accept leaves nothing, else done', async () => {
    const { status, code } = await ask(path, {
      method,
      headers: { accept: 'image/png, */*;q=0' },
    });
    // Nobody is signed in, which comes first.
    const isAdmitted = route.credential !== 'session' && route.credential !== 'body';
    const isRead = isAdmitted && route.methods.includes('GET') && route.ignoresAccept !== true;
    expect(status === 406).toBe(isRead);
    if (isRead && method !== 'HEAD') expect(code).toBe('request.not_acceptable');
  });

  const type = route.mediaType ?? jsonType;
  const [bare = type] = type.split(';');
  it.each([
    '*/*',
    'image/png, */*;q=0.1',
    `${bare}, image/png`,
    `image/*, ${bare.split('/')[0]}/*`,
    `image/png, ${type}`,
    '',
  ])('is given with Accept %j', async (accept) => {
    expect((await ask(path, { method, headers: { accept } })).status).not.toBe(406);
  });
});

describe.each(paths.map((path) => ({ path, allow: methodsOf(path).join(', ') })))('$path', ({ path, allow }) => {
  it('lists its methods for OPTIONS, without a token', async () => {
    const { status, headers } = await ask(filled(path), { method: 'OPTIONS', token: null });
    expect([status, headers.allow]).toEqual([204, allow]);
  });

  it.each(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !methodsOf(path).includes(method)))(
    'refuses %s with the methods that it has',
    async (method) => {
      const { status, headers } = await ask(filled(path), { method });
      expect([status, headers.allow]).toEqual([405, allow]);
    },
  );
});

it.each(paths.filter((path) => methodsOf(path).includes('GET')))(
  '%s answers HEAD with the status and the headers of GET',
  async (path) => {
    // `fetch` closes the connection of a HEAD, and gives the length of a compressed body.
    const headers = { 'accept-encoding': 'identity' };
    const get = await ask(filled(path), { method: 'GET', headers });
    const head = await ask(filled(path), { method: 'HEAD', headers });
    const varying = {
      date: null,
      'x-request-id': null,
      'server-timing': null,
      ratelimit: null,
      connection: null,
      'keep-alive': null,
    };
    expect({ status: head.status, headers: { ...head.headers, ...varying } }).toEqual({
      status: get.status,
      headers: { ...get.headers, ...varying },
    });
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(get.text)));
  },
);

const notRun = () => Promise.reject(new Error('nothing is run'));

describe('the documented headers', () => {
  it('are all met', async () => {
    const cached = `/api/endpoints/query/example.cached?project=${'x'.repeat(3000)}`;
    const met = new Set<string>();
    const note = async (path: string, request: Ask) => {
      for (const name of Object.keys((await ask(path, request)).headers)) met.add(name);
    };
    const page = { origin: 'https://page.example', 'access-control-request-method': 'GET' };
    await note(cached, { method: 'GET' });
    await note(cached, { method: 'GET', headers: { ...page, 'accept-encoding': 'gzip' } });
    await note(cached, { method: 'OPTIONS', headers: page });
    await note(cached, { method: 'GET', token: null, headers: { connection: 'close' } });
    await note(`${cached}&format=csv&unknown=x`, { method: 'GET' });
    await note('/api/endpoints/query/example.rows?project=rows-5&page_size=2', { method: 'GET' });
    const pages = '/api/endpoints/query/example.rows?project=rows-5&page_size=2&format=csv';
    const { headers: first } = await ask(pages, { method: 'GET' });
    await note(`${pages}&cursor=${first['x-next-cursor']}`, { method: 'GET' });
    const waits = { prefer: 'respond-async, wait=30' };
    const exported = await ask('/api/endpoints/query/example.rows?project=p', { method: 'GET', headers: waits });
    for (const name of Object.keys(exported.headers)) met.add(name);
    await note(exported.headers['content-location'] ?? '', { method: 'GET', headers: { range: 'bytes=0-1' } });
    await note('/elastic', { method: 'GET' });
    const waiting = await startExampleService({ requestsPerMinute: 1 });
    await waiting.call('/metrics', { token: 'admin-token' });
    const refused = await waiting.call('/metrics', { token: 'admin-token' });
    expect(refused.status).toBe(429);
    for (const name of refused.headers.keys()) met.add(name);
    await waiting.server.close();
    const streamed = { ...endpoints.rows, stream: { maxRows: 10, maxBytes: 1_000 } };
    const find = async () => streamed;
    const streaming = await startExampleService(
      {},
      {
        engine: { run: notRun, explain: notRun, stream: notRun },
        endpoints: () => ({
          findById: find,
          findByName: find,
          findVersion: find,
          list: async () => [streamed],
          revision: () => streamed,
        }),
      },
    );
    const path = '/api/endpoints/query/example.rows?project=p&stream=true&format=csv';
    const head = await streaming.call(path, { method: 'HEAD', token: 'query-token' });
    expect(head.status).toBe(200);
    for (const name of head.headers.keys()) met.add(name);
    await streaming.server.close();
    const created = await service.call('/api/endpoints', {
      method: 'POST',
      token: 'admin-token',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'example.created', query: 'select 1 as n' }),
    });
    expect(created.status).toBe(201);
    for (const name of created.headers.keys()) met.add(name);
    const signedIn = await service.call('/api/session', {
      method: 'POST',
      token: null,
      headers: { 'content-type': 'application/json', 'x-logmill-console': '1' },
      body: JSON.stringify({ token: 'admin-token' }),
    });
    expect(signedIn.status).toBe(200);
    for (const name of signedIn.headers.keys()) met.add(name);
    await note('/console/', { method: 'GET', token: null });
    expect([...documented].filter((name) => !met.has(name))).toEqual([]);
  });

  it('tell the stages of a failed call, as far as it came', async () => {
    const failed = await ask('/api/endpoints/query/example.rows?project=divide', { method: 'GET' });
    expect([failed.status, failed.headers['server-timing']]).toEqual([
      400,
      expect.stringMatching(/\bfind;.*\brun;dur=/),
    ]);
    const unknown = await ask('/api/endpoints/query/no.such', { method: 'GET' });
    const hidden = await ask('/api/endpoints/query/example.rows', { method: 'GET', token: 'limited-token' });
    // Waiting for a turn depends on what else the process does.
    const stages = ({ headers }: typeof unknown) =>
      headers['server-timing']?.replace(/, turns;dur=[\d.]+/, '').replaceAll(/[\d.]+/g, '');
    expect([unknown.status, hidden.status, stages(hidden)]).toEqual([404, 404, stages(unknown)]);
  });
});

describe('a header that stands twice', () => {
  const head = 'GET /api/endpoints/query/example.rows?project=p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';
  it.each([
    'Host: y\r\nX-API-KEY: query-token',
    'Authorization: Bearer query-token\r\nAuthorization: Bearer limited-token',
    'X-API-KEY: query-token\r\nContent-Type: text/plain\r\nContent-Type: application/json',
    'X-API-KEY: query-token\r\nSVC-ENDPOINT-REDACT-PII: true\r\nsvc-endpoint-redact-pii: true',
    'X-API-KEY: query-token\r\nSVC-ENDPOINT-VALUES: plain\r\nSVC-ENDPOINT-VALUES: records',
    'X-API-KEY: query-token\r\nOrigin: https://a.example\r\nOrigin: https://page.example',
  ])('is refused where it holds one value: %j', async (headers) => {
    const answer = await service.raw(`${head}${headers}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('more than once; send it once');
  });

  it('is joined where it is a list', async () => {
    const lists =
      'X-API-KEY: query-token\r\nAccept: image/png\r\nAccept: application/json\r\nAccept-Encoding: gzip\r\nAccept-Encoding: br';
    expect(await service.raw(`${head}${lists}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('of the fixed ones stands on answers to what is no request, too', async () => {
    const answer = await service.raw('HELLO\r\n\r\n');
    for (const [name, value] of Object.entries({ ...fixed, 'content-security-policy': noContent }))
      expect(answer).toContain(`${name}: ${value}\r\n`);
  });
});
