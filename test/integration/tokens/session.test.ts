import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at } from '../../support/instants.ts';
import { startWholeService, type WholeService } from '../../support/wholeService.ts';
import { callerQueries } from '../tenants/callerQueries.ts';
import { alder, birch, plainEvents } from '../tenants/tenantEvents.ts';
import { manage, tokenWith } from './tokenCalls.ts';

const now = at('2026-05-01T12:34:56.789Z');
const fromConsole = { 'x-logmill-console': '1', 'sec-fetch-site': 'same-origin' };
const hourMs = 3_600_000;

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({
    nowMicros: now,
    settings: { trustedProxies: '127.0.0.1/32', corsOrigins: 'https://page.example' },
  });
  for (const tenant of [alder, birch]) {
    for (const [stream, events] of plainEvents(tenant, now, 9)) await service.send(stream, events);
  }
  await service.define({
    id: '00000000-0000-4000-8000-000000000041',
    name: 'open.cached',
    query:
      'with edge_logs as (select id, project from sources.edge_logs) select id, project from edge_logs order by id',
    cache_seconds: 600,
    sandbox: true,
  });
});
afterAll(() => service.close());
// Sign-ins are limited for each token.
beforeEach(() => service.clock.advanceMs(600_000));

interface Asked {
  readonly method?: string;
  readonly cookie?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What the tests look at is in `body`. */
async function ask(path: string, { method = 'GET', cookie, headers = fromConsole, body }: Asked = {}) {
  const response = await fetch(`${service.url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headers,
      ...(cookie === undefined ? {} : { cookie }),
      ...(body === undefined || headers['content-type'] !== undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const parsed: ReturnType<typeof JSON.parse> = text.startsWith('{') ? JSON.parse(text) : undefined;
  return { status: response.status, code: parsed?.code, headers: response.headers, text, body: parsed };
}

async function signIn(body: object, more: Asked = {}) {
  const answer = await ask('/api/session', { method: 'POST', body, ...more });
  const setCookie = answer.headers.get('set-cookie') ?? '';
  return { ...answer, setCookie, cookie: setCookie.split(';')[0] ?? '' };
}

const codeOf = (link: string) => link.split('#code=')[1] ?? '';
const outcome = ({ status, code }: { readonly status: number; readonly code: string }) => [status, code];

describe('signing in', () => {
  it('with a token gives a cookie that scripts cannot read, and says what the token may do', async () => {
    const token = await tokenWith(service, { projects: [alder.project] });
    const { status, body, text, setCookie, headers } = await signIn({ token });
    expect(status).toBe(200);
    expect(setCookie).toMatch(/^logmill_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body.session).toEqual({
      created_at: new Date(service.clock.nowMicros() / 1000).toISOString(),
      expires_at: new Date(service.clock.nowMicros() / 1000 + 12 * hourMs).toISOString(),
      token: {
        id: token.slice(3, 15),
        description: '',
        scopes: ['query'],
        restrictions: { projects: [alder.project] },
        expires_at: null,
      },
    });
    for (const secret of [token, token.slice(15), setCookie.slice(16, 59)]) expect(text).not.toContain(secret);
  });

  it('is marked secure where the proxy says that the connection is', async () => {
    const { setCookie } = await signIn(
      { token: service.adminToken },
      { headers: { ...fromConsole, 'x-forwarded-proto': 'https' } },
    );
    expect(setCookie).toMatch(/; SameSite=Strict; Secure$/);
  });

  it.each([
    [{}, 400, 'parameter.invalid'],
    [{ token: '' }, 401, 'auth.missing'],
    [{ token: 'x', code: 'y' }, 400, 'parameter.invalid'],
    [{ tokn: 'x' }, 400, 'parameter.invalid'],
    [{ token: 7 }, 400, 'parameter.invalid'],
    [{ token: 'lm_nonsense' }, 401, 'auth.invalid'],
    [{ code: '' }, 401, 'session.code_invalid'],
    [{ code: 'x'.repeat(43) }, 401, 'session.code_invalid'],
    [{ token: 'x'.repeat(5000) }, 413, 'request.too_large'],
  ])('is refused: %j', async (body, status, code) => {
    const answer = await signIn(body);
    expect([...outcome(answer), answer.setCookie]).toEqual([status, code, '']);
  });

  it('holds the token to its networks', async () => {
    const token = await tokenWith(service, { networks: ['192.0.2.0/24'] });
    expect(
      outcome(await signIn({ token }, { headers: { ...fromConsole, 'x-forwarded-for': '198.51.100.1' } })),
    ).toEqual([403, 'auth.network']);
    const inside = { ...fromConsole, 'x-forwarded-for': '192.0.2.7' };
    const { cookie, status } = await signIn({ token }, { headers: inside });
    expect(status).toBe(200);
    expect((await ask('/api/session', { cookie, headers: inside })).status).toBe(200);
    expect(
      outcome(await ask('/api/session', { cookie, headers: { ...fromConsole, 'x-forwarded-for': '192.0.3.1' } })),
    ).toEqual([403, 'auth.network']);
  });

  it('is limited, so that one token cannot fill the store', async () => {
    const token = await tokenWith(service, {});
    const statuses = [];
    for (let n = 0; n < 21; n++) statuses.push((await signIn({ token })).status);
    expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
    expect((await signIn({ token: service.adminToken })).status).toBe(200);
  });

  it('again ends the session that the browser had', async () => {
    const first = await signIn({ token: service.adminToken });
    const second = await signIn({ token: service.adminToken }, { cookie: first.cookie });
    expect((await ask('/api/session', { cookie: second.cookie })).status).toBe(200);
    expect(outcome(await ask('/api/session', { cookie: first.cookie }))).toEqual([401, 'session.invalid']);
  });
});

describe('the code of a link', () => {
  it('signs in once, with every right, for as long as a session', async () => {
    const link = service.consoleLink();
    expect(link).toMatch(/^http:\/\/[^/]+\/console\/#code=[\w-]{43}$/);
    const { status, cookie, body } = await signIn({ code: codeOf(link) });
    expect(status).toBe(200);
    expect(body.session.token).toMatchObject({ restrictions: {}, expires_at: body.session.expires_at });
    expect(body.session.token.scopes).toContain('manage');
    expect((await ask('/api/tokens', { cookie })).status).toBe(200);
    const again = await signIn({ code: codeOf(link) });
    expect([...outcome(again), again.setCookie]).toEqual([401, 'session.code_invalid', '']);
    expect(again.body.detail).toContain('was used before');
  });

  it('is given to one of two who send it at the same time', async () => {
    const code = codeOf(service.consoleLink());
    const answers = await Promise.all([1, 2, 3].map(() => signIn({ code })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
  });

  it('is over after ten minutes', async () => {
    const [early, late] = [codeOf(service.consoleLink()), codeOf(service.consoleLink())];
    service.clock.advanceMs(600_000 - 1);
    expect((await signIn({ code: early })).status).toBe(200);
    service.clock.advanceMs(1);
    const { status, body } = await signIn({ code: late });
    expect([status, body.detail]).toEqual([401, expect.stringContaining('older than ten minutes')]);
  });
});

describe('a call with a session', () => {
  it('is refused for pages of other sites, whatever it asks for', async () => {
    const { cookie } = await signIn({ token: service.adminToken });
    const refused: readonly Readonly<Record<string, string>>[] = [
      {},
      { 'x-logmill-console': '0' },
      { ...fromConsole, 'sec-fetch-site': 'cross-site' },
      { ...fromConsole, 'sec-fetch-site': 'same-site' },
      { ...fromConsole, origin: 'https://evil.example' },
      // Its pages may read answers, but not act for who is signed in.
      { ...fromConsole, origin: 'https://page.example' },
      { ...fromConsole, origin: 'null' },
    ];
    for (const headers of refused) {
      for (const [method, path] of [
        ['GET', '/api/session'],
        ['GET', '/api/endpoints/query/open.cached'],
        ['POST', '/api/tokens'],
        ['DELETE', '/api/session?everywhere=true'],
        ['DELETE', `/api/projects/${alder.project}/events`],
      ] as const) {
        const answer = await ask(path, { method, cookie, headers });
        expect([method, path, headers, ...outcome(answer)]).toEqual([method, path, headers, 403, 'session.cross_site']);
      }
    }
    // A form of another site, with what forms can send.
    const form = {
      'content-type': 'text/plain',
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    };
    const answer = await ask('/api/tokens', {
      method: 'POST',
      cookie,
      headers: form,
      body: '{"scopes":["manage"],"x":"="}',
    });
    expect(outcome(answer)).toEqual([403, 'session.cross_site']);
    const signedIn = await ask('/api/session', {
      method: 'POST',
      headers: form,
      body: JSON.stringify({ token: service.adminToken }),
    });
    expect([...outcome(signedIn), signedIn.headers.get('set-cookie')]).toEqual([403, 'session.cross_site', null]);
    expect((await ask('/api/session', { cookie })).status).toBe(200);
  });

  it('comes from a page of the host that it is sent to, or that a trusted proxy names', async () => {
    const { cookie } = await signIn({ token: service.adminToken });
    const forwarded = { 'x-forwarded-host': 'logs.example', origin: 'https://logs.example' };
    for (const headers of [{ origin: service.url }, forwarded])
      expect((await ask('/api/tokens', { cookie, headers: { ...fromConsole, ...headers } })).status).toBe(200);
  });

  it('has permission for no other origin, not even one whose pages may read answers', async () => {
    const { status, headers } = await ask('/api/session', {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-logmill-console',
      },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, 'https://page.example']);
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).not.toContain('console');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('is a call with the token if it sends one as well', async () => {
    const admin = await signIn({ token: service.adminToken });
    const token = await tokenWith(service, { projects: [alder.project] });
    for (const headers of [{ 'x-api-key': token }, { authorization: `Bearer ${token}` }]) {
      // Without the header of the console, too: the cookie does not matter.
      const rows = await ask('/api/endpoints/query/open.cached', { cookie: admin.cookie, headers });
      expect([rows.status, new Set(rows.body.result.map((row: { project: string }) => row.project))]).toEqual([
        200,
        new Set([alder.project]),
      ]);
      expect(outcome(await ask('/api/tokens', { cookie: admin.cookie, headers }))).toEqual([403, 'auth.scope']);
      expect(outcome(await ask('/api/session', { cookie: admin.cookie, headers }))).toEqual([401, 'session.missing']);
    }
    const wrong = { ...fromConsole, 'x-api-key': 'nonsense' };
    expect(outcome(await ask('/api/tokens', { cookie: admin.cookie, headers: wrong }))).toEqual([401, 'auth.invalid']);
  });

  it('is never answered from what another caller was given, and its answer is not kept', async () => {
    const admin = await signIn({ token: service.adminToken });
    const limited = await signIn({ token: await tokenWith(service, { projects: [birch.project] }) });
    const path = '/api/endpoints/query/open.cached';
    const seen = async (cookie?: string) => {
      const { status, text, headers } = await ask(path, cookie === undefined ? {} : { cookie });
      expect([status, headers.get('cache-control')]).toEqual([cookie === undefined ? 401 : 200, 'no-store']);
      return [text.includes(`${alder.tag}-`), text.includes(`${birch.tag}-`)];
    };
    for (let n = 0; n < 3; n++) {
      expect(await seen(admin.cookie)).toEqual([true, true]);
      expect(await seen(limited.cookie)).toEqual([false, true]);
      expect(await seen()).toEqual([false, false]);
    }
  });

  it('needs a whole cookie: other values, two of them, and those of other services are none', async () => {
    const { cookie } = await signIn({ token: service.adminToken });
    const [other] = [(await signIn({ token: service.adminToken })).cookie];
    expect((await ask('/api/tokens', { cookie: `theme=dark; ${cookie}; id=7` })).status).toBe(200);
    for (const wrong of [
      `${cookie}x`,
      cookie.slice(0, -1),
      'logmill_session=',
      `${cookie}; ${other}`,
      `${cookie}; ${cookie}`,
    ])
      expect(outcome(await ask('/api/tokens', { cookie: wrong }))).toEqual([401, 'session.invalid']);
    for (const none of ['theme=dark', `x${cookie}`, cookie.toUpperCase()])
      expect(outcome(await ask('/api/tokens', { cookie: none }))).toEqual([401, 'auth.missing']);
  });
});

describe('a session has the rights of its token:', () => {
  it('its projects', async () => {
    const token = await tokenWith(service, { projects: [alder.project] });
    const { cookie } = await signIn({ token });
    for (const sql of callerQueries.slice(0, 12)) {
      const path = `/api/endpoints/query/logs.all?${new URLSearchParams({ project: alder.project, sql })}`;
      const [bySession, byToken] = [await ask(path, { cookie }), await ask(path, { headers: { 'x-api-key': token } })];
      expect([bySession.status, bySession.body.result]).toEqual([byToken.status, byToken.body.result]);
      expect(bySession.text).not.toContain(`${birch.tag}-`);
    }
    const foreign = `/api/endpoints/query/logs.all?project=${birch.project}`;
    expect(outcome(await ask(foreign, { cookie }))).toEqual([403, 'auth.project']);
    expect(outcome(await ask('/api/audit', { cookie }))).toEqual([403, 'auth.scope']);
  });

  it('its redaction', async () => {
    await service.send('edge_logs', [
      { id: 'r', timestamp: service.clock.nowMicros(), project: 'redacted', event_message: 'mail to ann@mail.example' },
    ]);
    const { cookie } = await signIn({ token: await tokenWith(service, { redact: true }) });
    const answer = await ask('/api/endpoints/query/logs.all?project=redacted', { cookie });
    expect([answer.status, answer.body.meta.redaction.applied]).toEqual([200, true]);
    expect(answer.text).not.toContain('ann@mail');
  });

  it('its rate', async () => {
    const { cookie } = await signIn({ token: await tokenWith(service, { rate: { requests: 2, seconds: 60 } }) });
    const statuses = [];
    for (let n = 0; n < 2; n++) statuses.push((await ask('/api/session', { cookie })).status);
    expect(statuses).toEqual([200, 429]);
  });
});

describe('a session ends', () => {
  const isOver = async (cookie: string) => {
    const answers = [await ask('/api/session', { cookie }), await ask('/api/tokens', { cookie })];
    return answers.every(({ status, code }) => status === 401 && code === 'session.invalid');
  };
  const makeToken = async (expires_at: string | null = null) =>
    (await manage(service, '/api/tokens', { method: 'POST', body: { scopes: ['query', 'manage'], expires_at } })).body
      .token as string;

  it('when its token is revoked, at once', async () => {
    const token = await makeToken();
    const { cookie } = await signIn({ token });
    expect(await isOver(cookie)).toBe(false);
    await manage(service, `/api/tokens/${token.slice(3, 15)}`, { method: 'DELETE' });
    expect(await isOver(cookie)).toBe(true);
  });

  it('when its token gets another secret, as the old secret does', async () => {
    const token = await makeToken();
    const { cookie } = await signIn({ token });
    const rotate = (overlap_seconds: number) =>
      manage(service, `/api/tokens/${token.slice(3, 15)}/rotate`, { method: 'POST', body: { overlap_seconds } });
    await rotate(100);
    expect(await isOver(cookie)).toBe(false);
    service.clock.advanceMs(100_000);
    expect(await isOver(cookie)).toBe(true);
  });

  it('when its token expires', async () => {
    const expires = new Date(service.clock.nowMicros() / 1000 + hourMs).toISOString();
    const { cookie, body, setCookie } = await signIn({ token: await makeToken(expires) });
    expect([body.session.expires_at, setCookie]).toEqual([expires, expect.stringContaining('Max-Age=3600;')]);
    service.clock.advanceMs(hourMs - 1);
    expect(await isOver(cookie)).toBe(false);
    service.clock.advanceMs(1);
    expect(await isOver(cookie)).toBe(true);
  });

  it('after twelve hours, however much it is used', async () => {
    const { cookie } = await signIn({ token: service.adminToken });
    for (let hour = 0; hour < 12; hour += 4) {
      expect(await isOver(cookie)).toBe(false);
      service.clock.advanceMs(4 * hourMs);
    }
    expect(await isOver(cookie)).toBe(true);
  });

  it('when it is signed out, and no other with it', async () => {
    const [first, second] = [await signIn({ token: service.adminToken }), await signIn({ token: service.adminToken })];
    const answer = await ask('/api/session', { method: 'DELETE', cookie: first.cookie });
    expect([answer.status, answer.body, answer.headers.get('set-cookie')]).toEqual([
      200,
      { ended: 1 },
      'logmill_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
    ]);
    expect([await isOver(first.cookie), await isOver(second.cookie)]).toEqual([true, false]);
  });

  it('when its token is signed out everywhere, and the token goes on', async () => {
    const token = await makeToken();
    const [first, second] = [await signIn({ token }), await signIn({ token })];
    const other = await signIn({ token: await makeToken() });
    const answer = await ask('/api/session?everywhere=true', { method: 'DELETE', cookie: first.cookie });
    expect([answer.status, answer.body]).toEqual([200, { ended: 2 }]);
    expect(await Promise.all([first, second, other].map(({ cookie }) => isOver(cookie)))).toEqual([true, true, false]);
    expect((await signIn({ token })).status).toBe(200);
  });
});

it('is in the audit trail with its token, and never with a secret', async () => {
  const token = await tokenWith(service, {});
  const id = token.slice(3, 15);
  const { cookie } = await signIn({ token });
  await ask('/api/session', { method: 'DELETE', cookie });
  const { body } = await manage(service, `/api/audit?actor=${id}`);
  expect(body.result.map(({ action, target }: { action: string; target: string }) => [action, target])).toEqual([
    ['session.end', id],
    ['session.create', id],
  ]);
});

it('leaves no token, code or session in what the service observes, which its log is made of', async () => {
  const code = codeOf(service.consoleLink());
  const token = await tokenWith(service, {});
  const [byCode, byToken] = [await signIn({ code }), await signIn({ token })];
  await signIn({ code });
  await ask('/api/tokens', { cookie: `${byToken.cookie}x` });
  for (const cookie of [byCode.cookie, byToken.cookie]) {
    await ask('/api/tokens', { cookie });
    await ask('/api/tokens', { cookie, headers: {} });
    await ask('/api/session', { method: 'DELETE', cookie });
  }
  const observed = JSON.stringify(service.observations, (_, value) => (value instanceof Error ? String(value) : value));
  const secrets = [code, token, byCode.cookie.slice(16), byToken.cookie.slice(16)];
  expect(secrets.map((secret) => [secret.length > 40, observed.includes(secret)])).toEqual(
    secrets.map(() => [true, false]),
  );
});
