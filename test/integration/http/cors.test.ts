import { afterEach, describe, expect, it } from 'vitest';
import { type ExampleService, startExampleService } from './exampleService.ts';

let service: ExampleService;
afterEach(() => service.server.close());

const path = '/api/endpoints/query/example.rows';
const origin = 'https://logs.example.com';

const preflight = (from: string) => ({
  method: 'OPTIONS',
  token: null,
  headers: {
    origin: from,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'x-api-key,svc-endpoint-values',
  },
});

function corsHeaders(response: Response): readonly string[] {
  return [...response.headers.keys()].filter((name) => name.startsWith('access-control-'));
}

describe('pages of other origins', () => {
  it('read nothing unless configured, and OPTIONS says what is allowed', async () => {
    service = await startExampleService();
    for (const response of [
      await service.call(`${path}?project=p`, { headers: { origin } }),
      await service.call(path, preflight(origin)),
    ]) {
      expect(response.ok).toBe(true);
      expect(corsHeaders(response)).toEqual([]);
    }
    const options = await service.call(path, { method: 'OPTIONS', token: null });
    expect([options.status, options.headers.get('allow'), await options.text()]).toEqual([204, 'GET, HEAD, POST', '']);
  });

  it('ask before they call, without a token, and are told methods and headers', async () => {
    service = await startExampleService({ corsOrigins: [origin] });
    const { status, headers } = await service.call(path, preflight(origin));
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST');
    const allowed = headers.get('access-control-allow-headers')?.split(', ');
    expect(allowed).toEqual(
      expect.arrayContaining([
        ...['X-API-KEY', 'Authorization', 'SVC-ENDPOINT-REDACT-PII', 'SVC-ENDPOINT-VALUES', 'Cache-Control'],
        ...['If-None-Match', 'Idempotency-Key', 'Content-Type', 'X-Request-Id', 'X-Source'],
      ]),
    );
    expect(Number(headers.get('access-control-max-age'))).toBeGreaterThan(0);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toContain('Origin');
  });

  it('read answers and errors alike', async () => {
    service = await startExampleService({ corsOrigins: ['https://other.example', origin] });
    const headers = { origin };
    const answers = [
      await service.call(`${path}?project=p`, { headers }),
      await service.call(path, { headers }),
      await service.call(path, { headers, token: null }),
      await service.call('/api/nothing', { headers }),
      await service.call('/api/endpoints/query/%zz', { headers }),
      await service.call(path, { headers, method: 'DELETE' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 404, 400, 405]);
    for (const answer of answers) {
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      const exposed = answer.headers.get('access-control-expose-headers')?.split(', ');
      expect(exposed).toEqual(expect.arrayContaining(['ETag', 'X-Request-Id', 'Retry-After', 'Server-Timing', 'Age']));
      expect(answer.headers.get('vary')).toContain('Origin');
    }
  });

  it.each([
    'https://logs.example.com.evil.example',
    'http://logs.example.com',
    'https://logs.example.com:8443',
    'HTTPS://LOGS.EXAMPLE.COM',
    'null',
    '*',
  ])('of the origin %s are not let in by another one', async (stranger) => {
    service = await startExampleService({ corsOrigins: [origin] });
    expect(corsHeaders(await service.call(path, preflight(stranger)))).toEqual([]);
    expect(corsHeaders(await service.call(`${path}?project=p`, { headers: { origin: stranger } }))).toEqual([]);
  });

  it('of every origin read with *, never with credentials of the browser', async () => {
    service = await startExampleService({ corsOrigins: ['*'] });
    const { headers } = await service.call(path, preflight('https://any.example'));
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });
});
