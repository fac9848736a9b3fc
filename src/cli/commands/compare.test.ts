import { createServer, type Server } from 'node:http';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runOffline } from '../../../test/support/commandLine.ts';
import { listenLocally } from '../../../test/support/listenLocally.ts';

const servers: Server[] = [];
const asked: string[] = [];

/** A service that answers each path with a body, and tells what it was asked. */
async function service(name: string, answers: Readonly<Record<string, string>>): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      asked.push(`${name} ${request.headers['x-api-key']} ${request.method} ${request.url} ${body}`);
      response.end(answers[request.url ?? ''] ?? '{"error":"unknown"}');
    });
  });
  servers.push(server);
  return await listenLocally(server);
}

let old: string;
let own: string;
beforeAll(async () => {
  old = await service('old', { '/a?n=1': '{"result":[{"n":1}]}', '/b': '{"result":[{"n":1}]}' });
  own = await service('new', { '/a?n=1': '{"result":[{"n":1}],"meta":{}}', '/b': '{"result":[{"n":2}]}' });
});
afterAll(() => {
  for (const server of servers) server.close();
});

async function compare(list: string, ...args: readonly string[]) {
  const environment = { LOGMILL_URL: own, LOGMILL_TOKEN: 'own-token', LOGMILL_OLD_TOKEN: 'old-token' };
  return await runOffline(['compare', old, '--calls', '-', ...args], 0, environment, {
    stdin: Readable.from([list]),
  });
}

it('asks both services each call with their own tokens, and fails if an answer differs', async () => {
  asked.length = 0;
  const { code, out, err } = await compare('/a?n=1\n/b\n{"path":"/c","body":{"x":1}}\n');
  expect(out).toBe('same         /a?n=1\ndifferent    /b\n  row 1, n: 1 became 2\nboth refuse  /c\n');
  expect(err).toMatch(/^1 of 3 the same, 1 refused by both, 0 in another order, 1 different; median /);
  expect(err).toMatch(/1 of 3 answers differ\.\n$/);
  expect(code).toBe(1);
  expect(asked.toSorted()).toEqual([
    'new own-token GET /a?n=1 ',
    'new own-token GET /b ',
    'new own-token POST /c {"x":1}',
    'old old-token GET /a?n=1 ',
    'old old-token GET /b ',
    'old old-token POST /c {"x":1}',
  ]);
});

it('ends with 0 if all answers are the same, and prints JSON on demand', async () => {
  const { code, out } = await compare('/a?n=1', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ line: 1, path: '/a?n=1', verdict: 'same', differences: [] });
});

it('says which service cannot be reached, and refuses a list that it cannot read', async () => {
  const gone = await compare('/b', '--url', 'http://127.0.0.1:1');
  expect(gone.code).toBe(1);
  expect(gone.out).toContain('  new: unreachable, ');
  expect(await compare('nothing')).toMatchObject({ code: 2, err: expect.stringContaining('Line 1 of the list') });
});
