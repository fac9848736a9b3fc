import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientApi } from '../clientEndpoint.fixture.ts';
import { renderPythonClient } from './renderPythonClient.ts';

const run = promisify(execFile);
const hasPython = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;

/** Calls a client whose service answers with one body after the other, and notes how that ends. */
const use = `
import io, json, sys
from client import *
def told(work, *bodies):
    client = LogmillClient("http://service", "t")
    waiting = list(bodies)
    class Body(io.BytesIO):
        headers, status = {}, 200
    client._service._open = lambda request, timeout: Body(waiting.pop(0))
    try:
        return work(client)
    except LogmillError as error:
        return [error.code, error.message]
`;

describe.skipIf(!hasPython)('the Python client', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'logmill-python-'));
    writeFileSync(join(folder, 'client.py'), renderPythonClient(clientApi));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The values of the expressions. Warnings are errors. */
  async function python(...expressions: readonly string[]): Promise<unknown> {
    const out = `sys.stdout.write(json.dumps([${expressions.map((each) => `${each},`).join('\n')}]))`;
    writeFileSync(join(folder, 'use.py'), `${use}${out}`);
    const { stdout } = await run('python3', ['-W', 'error', 'use.py'], { cwd: folder });
    return JSON.parse(stdout);
  }

  it('says in a sentence which member an answer lacks', async () => {
    const stream = (line: string) => `told(lambda client: list(client.stream.logs_all()), b'''${line}\\n''')`;
    const tail = (line: string) => `told(lambda client: list(client.tail.logs_all()), b'''${line}\\n''')`;
    const rows = `b'{"result":[],"meta":{}}'`;
    const status = `b'{"id": "i", "state": "complete"}'`;
    const lacks = (name: string) => [
      'client.unreadable',
      `The answer has no member ${name}. Generate the client again with the version of the service.`,
    ];
    expect(
      await python(
        stream('{"@logmill":{}}'),
        stream('{"@logmill":{"status":"complete"}}'),
        stream('{"@logmill":{"status":"error"}}'),
        stream('{"@logmill":{"status":"error","error":{}}}'),
        tail('{"id":"a"}'),
        tail('{"event":"row"}'),
        tail('{"event":"end","data":{}}'),
        `told(lambda client: list(client.pages.logs_all()), ${rows})`,
        `told(lambda client: client.logs_all()._names(), ${rows})`,
        `told(lambda client: client.export_by_id("i").wait(), ${status}, ${status})`,
        `told(lambda client: client.export_by_id("i").rows, ${status})`,
      ),
    ).toEqual(
      ['status', 'meta', 'error', 'code', 'event', 'id', 'retryable', 'next', 'columns', 'error', 'rows'].map(lacks),
    );
    expect(await python(stream('<html>'), stream('[1]'), tail('1'))).toEqual([
      ['client.unreadable', 'A line of the answer is not JSON.'],
      ['client.unreadable', 'A line of the answer is not a JSON object.'],
      ['client.unreadable', 'A line of the answer is not a JSON object.'],
    ]);
  });

  it('says which endpoints there are for own queries', async () => {
    const own = 'sql="select 1"';
    const ways = ['', 'pages.', 'stream.', 'tail.', 'export.'];
    const calls = ways.map((way) => `told(lambda client: client.${way}query("logs_al", ${own}))`);
    const unknown = (name: string, more = '') => [
      'client.endpoint_unknown',
      `This client has no endpoint '${name}' for such a query. It has logs_all.${more}`,
    ];
    expect(await python(...calls)).toEqual(ways.map(() => unknown('logs_al', ' Did you mean logs_all?')));
    expect(await python(`told(lambda client: client.query("usage_counts", ${own}))`)).toEqual([
      unknown('usage_counts'),
    ]);
  });

  it('has the same methods for pages and streams, except for endpoints that have none', async () => {
    expect(
      await python(
        'sorted(name for name in dir(StreamedCalls) if name[0] != "_")',
        'sorted(name for name in dir(PagedCalls) if name[0] != "_")',
      ),
    ).toEqual([
      ['logs_all', 'query'],
      ['logs_all', 'query'],
    ]);
  });
});
