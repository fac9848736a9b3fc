import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine, runOffline } from '../../../test/support/commandLine.ts';
import { listenLocally } from '../../../test/support/listenLocally.ts';

let status = 200;
let body = '';
const asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.writeHead(status, status === 302 ? { location: '/livez' } : {}).end(body);
});
let url = '';

beforeAll(async () => {
  url = await listenLocally(server);
});
afterAll(() => {
  server.close();
});

const health = (at: string) => runCommandLine({ url, adminToken: '' }, ['health', '--url', at]);

describe('logmill health', () => {
  it('succeeds where the service is ready', async () => {
    status = 200;
    expect(await health(`${url}/`)).toEqual({ code: 0, out: `${url} is ready.\n`, err: '' });
    expect(asked.at(-1)).toBe('/readyz');
  });

  it.each([
    ['{"status":"ok","ingestion":"ingest.disk_full"}', 'rejects events'],
    ['{"status":"ok","sealing":"service.disk_full"}', 'will reject events'],
  ])('says what a ready service lacks space for: %s', async (answer, sentence) => {
    status = 200;
    body = answer;
    expect(await health(url)).toMatchObject({ code: 0, out: expect.stringContaining(`is ready. It `) });
    expect((await health(url)).out).toContain(sentence);
    body = '';
  });

  it.each([503, 404, 302])('fails where the answer is %i', async (other) => {
    status = other;
    const { code, out } = await health(url);
    expect({ code, out }).toEqual({ code: 1, out: '' });
  });

  it.each([
    [{ LOGMILL_URL: '' }, '127.0.0.1'],
    [{ LOGMILL_HOST: '0.0.0.0' }, '127.0.0.1'],
    [{ LOGMILL_HOST: 'localhost' }, 'localhost'],
  ])('asks the port of LOGMILL_PORT of this machine: %o', async (environment, host) => {
    status = 200;
    const { port } = new URL(url);
    expect(await runOffline(['health'], 0, { ...environment, LOGMILL_PORT: port })).toMatchObject({
      out: `http://${host}:${port} is ready.\n`,
    });
  });

  it('fails where nothing answers, and says why', async () => {
    const gone = createServer();
    const address = await listenLocally(gone);
    await new Promise((resolve) => gone.close(resolve));
    const { code, err } = await health(address);
    expect(code).toBe(1);
    expect(err).toContain('cannot be reached: connection refused (ECONNREFUSED)');
  });
});
