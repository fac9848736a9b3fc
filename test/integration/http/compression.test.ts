import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExampleService, startExampleService } from './exampleService.ts';

let service: ExampleService;
beforeAll(async () => {
  service = await startExampleService();
});
afterAll(() => service.server.close());

const large = `/api/endpoints/query/example.rows?project=${'x'.repeat(4000)}`;
const small = '/api/endpoints/query/example.rows?project=p';

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Gives the bytes as they came: `fetch` would decode them, and adds an Accept-Encoding of its own. */
function receive(path: string, headers: Readonly<Record<string, string>>, method = 'GET'): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(
      `${service.url}${path}`,
      { method, headers: { 'x-api-key': 'query-token', ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

function decoded({ headers, body }: Received): string {
  const coding = headers['content-encoding'];
  if (coding === undefined) return body.toString();
  return (coding === 'gzip' ? gunzipSync(body) : brotliDecompressSync(body)).toString();
}

describe('compression', () => {
  it.each([
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['GZIP', 'gzip'],
    ['gzip, deflate, br', 'gzip'],
    ['gzip;q=0.5, br;q=0.8', 'br'],
    ['gzip;q=0, br', 'br'],
    ['deflate', undefined],
    ['identity', undefined],
    ['identity;q=0.9, gzip;q=0.1', undefined],
    ['*', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['', undefined],
  ])('Accept-Encoding %j: the answer is coded as %s and decodes to the same rows', async (accepted, coding) => {
    const answer = await receive(large, { 'accept-encoding': accepted });
    expect([answer.status, answer.headers['content-encoding']]).toEqual([200, coding]);
    expect(answer.headers['content-length']).toBe(String(answer.body.length));
    expect(answer.headers.vary).toContain('Accept-Encoding');
    const { result } = JSON.parse(decoded(answer));
    expect(result[0].project).toHaveLength(4000);
    if (coding !== undefined) expect(answer.body.length).toBeLessThan(1500);
  });

  it('is not done for a client that does not ask, nor for a small answer', async () => {
    expect((await receive(large, {})).headers['content-encoding']).toBeUndefined();
    expect((await receive(small, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBeUndefined();
  });

  it('is done for a small answer, and an error, where the client refuses it plain', async () => {
    for (const path of [small, '/api/nothing', '/livez']) {
      const answer = await receive(path, { 'accept-encoding': 'gzip, identity;q=0' });
      expect(answer.headers['content-encoding']).toBe('gzip');
      expect(JSON.parse(decoded(answer))).toBeTypeOf('object');
    }
  });

  it.each(['*;q=0', 'identity;q=0', 'deflate, identity;q=0'])(
    '%s leaves nothing: 406, which is plain',
    async (accepted) => {
      const runs = service.engine.runs.length;
      const answer = await receive(small, { 'accept-encoding': accepted });
      expect(answer.status).toBe(406);
      expect(JSON.parse(answer.body.toString()).errors[0].allowed).toContain('identity');
      expect(service.engine.runs).toHaveLength(runs);
    },
  );

  it('leaves the entity tag weak and the same, and a 304 without a coding', async () => {
    const [plain, coded] = await Promise.all([receive(large, {}), receive(large, { 'accept-encoding': 'br' })]);
    expect(plain.headers.etag).toMatch(/^W\/"/);
    expect(coded.headers.etag).toBe(plain.headers.etag);
    const again = await receive(large, { 'accept-encoding': 'br', 'if-none-match': String(plain.headers.etag) });
    expect([again.status, again.headers['content-encoding'], again.body.length]).toEqual([304, undefined, 0]);
  });

  it.each([{}, { 'accept-encoding': 'gzip' }])('HEAD with %j has the headers of GET and no body', async (headers) => {
    const [get, head] = [await receive(large, headers), await receive(large, headers, 'HEAD')];
    expect([head.status, head.body.length]).toEqual([200, 0]);
    const steady = ({ headers: all }: Received) => ({
      ...all,
      // Meta holds the request ID and how long it took, so that sizes of two answers differ a little.
      'content-length': Math.round(Number(all['content-length']) / 100),
      'x-request-id': null,
      'server-timing': null,
      date: null,
    });
    expect(steady(head)).toEqual(steady(get));
  });
});
