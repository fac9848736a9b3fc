import { existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../test/support/commandLine.ts';
import { listenLocally } from '../../../test/support/listenLocally.ts';

const body = Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from('"a"\r\n"\u001b[2J"\r\n')]);
let asked = '';
const server = createServer((request, response) => {
  asked = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    asked += part;
  });
  request.on('end', () => {
    const page = pages.get(new URLSearchParams(asked).get('cursor') ?? '');
    if (asked.includes('page_size=max') && page !== undefined) {
      if (page.refusals-- > 0) {
        const problem = {
          code: 'query.overloaded',
          error: { message: 'Full.', code: 'query.overloaded' },
          status: 503,
        };
        response.writeHead(503, { 'retry-after': '1' }).end(JSON.stringify(problem));
        return;
      }
      const next = page.next === undefined ? {} : { 'x-next-cursor': page.next };
      response.writeHead(200, { 'x-row-count': String(page.rows), ...next, ...page.headers }).end(page.body);
      return;
    }
    const notices = JSON.stringify([{ code: 'parameter.unknown', message: 'b is not declared.' }, { more: 1 }]);
    response.writeHead(200, { 'x-row-count': '1', 'x-truncated': 'max_rows', 'x-notices': notices }).end(body);
  });
});
interface Page {
  readonly body: string;
  readonly rows: number;
  readonly next?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it is refused before it is given. */
  refusals: number;
}
/** By cursor. */
let pages = new Map<string, Page>();
const folder = mkdtempSync(join(tmpdir(), 'query-'));
let url = '';

beforeAll(async () => {
  url = await listenLocally(server);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const query = (...more: string[]) =>
  runCommandLine({ url, adminToken: 't' }, ['query', 'logs.all', '-p', 'project=p', ...more]);

describe('logmill query --format', () => {
  it('prints the bytes of the answer, and what it has no place for as messages', async () => {
    const { code, out, err } = await query('--format', 'csv');
    expect({ code, out, err }).toEqual({
      code: 0,
      out: body.toString(),
      err: '1 row, truncated by max_rows\nnotice: b is not declared.\nnotice: 1 more notice does not fit into the headers of this format; JSON has all.\n',
    });
    expect(asked).toBe('project=p&format=csv');
    for (const name of ['--out', '-o', '--output']) expect((await query('--format', 'csv', name, '-')).out).toBe(out);
  });

  it('shows a terminal no control characters', async () => {
    const given = ['query', 'logs.all', '--format', 'csv'];
    const { out } = await runCommandLine({ url, adminToken: 't' }, given, 't', { columns: 80 });
    expect(out).toBe('\ufeff"a"\r\n"\\u001b[2J"\r\n');
  });

  it('hands on the options of CSV, and refuses them for other formats', async () => {
    await query('--format', 'csv', '--csv-guard', '--bom');
    expect(asked).toBe('project=p&format=csv&csv_guard=true&bom=true');
    for (const flags of [['--csv-guard'], ['--csv-guard', '--format', 'json'], ['--stream', '--csv-guard']]) {
      expect(await query(...flags)).toMatchObject({ code: 2, err: '--csv-guard is for --format csv or tsv.\n' });
    }
  });

  it('writes into what is not a file, and leaves it what it is', async () => {
    const { code, out } = await query('--format', 'csv', '--out', '/dev/null');
    expect([code, out, lstatSync('/dev/null').isCharacterDevice()]).toEqual([0, '', true]);
    expect(existsSync('/dev/null.part')).toBe(false);
  });

  it('removes the part of its file if it is interrupted, and says what to do with one that is there', async () => {
    const file = join(folder, 'stopped.csv');
    let words = '';
    await runCommandLine({ url, adminToken: 't' }, ['query', 'logs.all', '--format', 'csv', '-o', file], 't', {
      onInterrupt: (lastWords) => {
        words = lastWords();
        return () => undefined;
      },
    });
    expect(words).toContain(`${file} was not written`);
    writeFileSync(`${file}.part`, 'of another');
    const { code, err } = await query('--format', 'csv', '--out', file);
    expect([code, err]).toEqual([1, expect.stringContaining(`If none is running, remove ${file}.part.`)]);
    expect(readFileSync(`${file}.part`, 'utf8')).toBe('of another');
  });

  it('writes it into a file, byte for byte', async () => {
    const file = join(folder, 'rows.csv');
    const { code, out, err } = await query('--format', 'csv', '--out', file);
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain(`1 row in ${file}, truncated by max_rows\n`);
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
    const arrow = ['query', 'logs.all', '--format', 'arrow'];
    const shown = await runCommandLine({ url, adminToken: 't' }, arrow, 't', { columns: 80 });
    expect([shown.code, shown.err]).toEqual([2, expect.stringContaining('--format arrow is not text')]);
    expect((await query('--format', 'arrow')).out).toBe(body.toString());
    expect((await query('--format', 'xlsx')).err).toContain('Allowed choices are json, ndjson, csv');
  });
});

describe('logmill query --all', () => {
  const file = join(folder, 'all');
  const notices = { 'x-notices': JSON.stringify([{ code: 'page.order_added', message: 'In the order of arrival.' }]) };
  const head = '\ufeff"a ""\r\n""","b"\r\n';

  it('puts the pages of a table together: one header, all rows, each notice once, and waits where it is asked to', async () => {
    pages = new Map([
      ['', { body: `${head}"1",\r\n`, rows: 1, next: 'two', headers: notices, refusals: 0 }],
      ['two', { body: `${head}"2",\r\n"3",\r\n`, rows: 2, next: 'three', headers: notices, refusals: 2 }],
      ['three', { body: `${head}"4\r\n",\r\n`, rows: 1, refusals: 0 }],
    ]);
    const { code, err } = await query('--all', '--format', 'csv', '--out', file);
    expect([code, err]).toEqual([0, `4 rows in ${file}\nnotice: In the order of arrival.\n`]);
    expect(readFileSync(file, 'utf8')).toBe(`${head}"1",\r\n"2",\r\n"3",\r\n"4\r\n",\r\n`);
  });

  it('ends NDJSON with one record for all rows, on standard output too', async () => {
    const [first, second] = [
      '{"code":"page.query_limit","message":"A."}',
      '{"code":"parameter.unknown","message":"B."}',
    ];
    const end = (rows: number, next: string | null, notices: string) =>
      `{"@logmill":{"status":"complete","rows":${rows},"meta":{"row_count":${rows},"next":${JSON.stringify(next)},"prev":null,"notices":[${notices}]}}}\n`;
    pages = new Map([
      ['', { body: `{"n":1}\n${end(1, 'two', `${first},${second}`)}`, rows: 1, next: 'two', refusals: 0 }],
      ['two', { body: `{"n":2}\n${end(1, null, second)}`, rows: 1, refusals: 0 }],
    ]);
    const { out, err } = await query('--all', '--format', 'ndjson');
    expect(out).toBe(
      `{"n":1}\n{"n":2}\n{"@logmill":{"status":"complete","rows":2,"meta":{"row_count":2,"notices":[${first},${second}]}}}\n`,
    );
    expect(err).toBe('2 rows\nnotice: A.\nnotice: B.\n');
  });

  it('leaves no file that is not complete', async () => {
    pages = new Map([
      ['', { body: 'a\n1\n', rows: 1, next: 'two', refusals: 0 }],
      ['two', { body: '', rows: 0, refusals: 100 }],
    ]);
    const part = join(folder, 'part.tsv');
    const { code, err } = await query('--all', '--format', 'tsv', '--out', part);
    expect([code, err]).toEqual([1, expect.stringContaining('Full.')]);
    expect(readdirSync(folder).filter((name) => name.startsWith('part'))).toEqual([]);
    for (const args of [['--all'], ['--all', '--format', 'markdown']]) {
      expect((await query(...args)).err).toContain('--all needs --format csv, tsv or ndjson');
    }
  });
});
