import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine, runOffline } from '../../../test/support/commandLine.ts';

let status = 200;
const asked: (string | undefined)[] = [];
const server = createServer((request, response) => {
  asked.push(request.url);
  response.writeHead(status, status === 302 ? { location: '/livez' } : {}).end();
});
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await new Promise((resolve) => gone.close(resolve));
    const { code, err } = await health(`http://127.0.0.1:${port}`);
    expect(code).toBe(1);
    expect(err).toContain('cannot be reached: connection refused (ECONNREFUSED)');
  });
});
