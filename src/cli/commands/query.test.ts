import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../test/support/commandLine.ts';

const body = Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('"a"\r\n"\u001b[2J"\r\n')]);
let asked = '';
const server = createServer((request, response) => {
  asked = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    asked += part;
  });
  request.on('end', () => {
    const notices = JSON.stringify([{ code: 'parameter.unknown', message: 'b is not declared.' }, { more: 1 }]);
    response.writeHead(200, { 'x-row-count': '1', 'x-truncated': 'max_rows', 'x-notices': notices }).end(body);
  });
});
const folder = mkdtempSync(join(tmpdir(), 'query-'));
let url = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const query = (...more: string[]) =>
  runCommandLine({ url, adminToken: 't' }, ['query', 'logs.all', '-p', 'project=p', ...more]);

describe('logmill query --format', () => {
  it('prints the answer without control characters, and what it has no place for as messages', async () => {
    const { code, out, err } = await query('--format', 'csv');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: '\ufeff"a"\r\n"\\u001b[2J"\r\n',
      err: '1 row, truncated by max_rows\nnotice: b is not declared.\n',
    });
    expect(asked).toBe('project=p&format=csv');
  });

  it('writes it into a file, byte for byte', async () => {
    const file = join(folder, 'rows.csv');
    const { code, out, err } = await query('--format', 'csv', '--out', file);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(`1 row, truncated by max_rows in ${file}\n`);
    expect(readFileSync(file)).toEqual(body);
  });

  it('refuses what it cannot do: a file for a table, a file in no folder, an unknown format', async () => {
    expect((await query('--out', join(folder, 'table'))).err).toContain('--out needs --format');
    const missing = await query('--format', 'csv', '--out', join(folder, 'missing', 'rows.csv'));
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('cannot be written')]);
    for (const option of [
      ['--format', 'csv'],
      ['--out', join(folder, 'plan')],
    ]) {
      const { code, err } = await query('--explain', ...option);
      expect([code, err]).toEqual([2, expect.stringContaining('neither --format nor --out')]);
    }
    expect((await query('--format', 'arrow')).err).toContain('--format arrow needs --out');
    expect((await query('--format', 'xlsx')).err).toContain('Allowed choices are json, ndjson, csv');
  });
});
