import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../test/support/commandLine.ts';
import { listenLocally } from '../../test/support/listenLocally.ts';
import { printableLines } from '../core/printable.ts';
import type { FormatName } from '../formats/resultFormat.ts';
import { writeStream } from './writeStream.ts';

const folder = mkdtempSync(join(tmpdir(), 'stream-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An answer whose body arrives in pieces of this many bytes. */
function inPieces(text: string | Buffer, bytes: number, headers: Record<string, string> = {}): Response {
  const all = Buffer.from(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < all.length; at += bytes) controller.enqueue(Uint8Array.from(all.subarray(at, at + bytes)));
      controller.close();
    },
  });
  return new Response(body, { headers });
}

interface Wanted {
  readonly file?: string;
  readonly format: FormatName;
  /** That of the terminal which shows the results; by default they go to a pipe. */
  readonly columns?: number;
}

/** What is written as results, escaped as in a terminal, and as messages. */
async function written(response: Response, { file, format, columns }: Wanted) {
  const shown = { out: '', err: '' };
  const bytes: Uint8Array[] = [];
  const context = {
    out(text: string) {
      shown.out += printableLines(text);
    },
    outBytes: (part: Uint8Array) => void bytes.push(part),
    err(text: string) {
      shown.err += text;
    },
    columns,
    onInterrupt: () => () => undefined,
  };
  await writeStream(async () => response, { file, format }, context);
  return { ...shown, out: shown.out + Buffer.concat(bytes).toString() };
}

const record = (members: string) => `{"@logmill":{${members}}}\n`;
const complete = `{"n":"é😀"}\n{"n":2}\n${record('"status":"complete","rows":2,"meta":{}')}`;
const csv = '\ufeffn,text\r\n1,"é😀\r\nx"\r\n2,\r\n';

describe.each([1, 2, 3, 7, 1000])('a stream that arrives in pieces of %d bytes', (bytes) => {
  it.each([undefined, 80])('is printed as it is (columns: %s)', async (columns) => {
    const given = columns === undefined ? {} : { columns };
    const table = await written(inPieces(csv, bytes), { format: 'csv', ...given });
    expect(table).toEqual({ out: csv, err: 'The stream is complete.\n' });
    const lines = await written(inPieces(complete, bytes), { format: 'ndjson', ...given });
    expect(lines).toEqual({ out: complete, err: '2 rows\n' });
  });

  it('has its control characters escaped on a terminal only', async () => {
    const text = 'a\r\n"\u001b[2J\u202e\r"\r\n';
    expect((await written(inPieces(text, bytes), { format: 'csv' })).out).toBe(text);
    const shown = await written(inPieces(text, bytes), { format: 'csv', columns: 80 });
    expect(shown.out).toBe('a\r\n"\\u001b[2J\\u202e\\u000d"\r\n');
    // Bytes that end in the middle of a character, or with a carriage return, are shown too.
    const cut = Buffer.from('é\r').subarray(1);
    expect((await written(inPieces(cut, bytes), { format: 'csv', columns: 80 })).out).toBe('\ufffd\\u000d');
  });

  it('becomes a file only if it is complete', async () => {
    const file = join(folder, 'rows.ndjson');
    expect(await written(inPieces(complete, bytes), { file, format: 'ndjson' })).toEqual({
      out: '',
      err: `2 rows in ${file}\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe(complete);
    rmSync(file);
    const table = join(folder, 'rows.csv');
    const { err } = await written(inPieces(csv, bytes), { file: table, format: 'csv' });
    expect(err).toBe(`The stream is complete. Its rows are in ${table}.\n`);
    rmSync(table);
    const cut = inPieces('{"n":1}\n{"n":2}\n', bytes, { 'x-request-id': 'r-1' });
    await expect(written(cut, { file, format: 'ndjson' })).rejects.toThrow(
      /was cut off before its end.*under the request ID r-1\)\.$/,
    );
    const failure =
      '"status":"error","rows":1,"error":{"code":"engine.failed","message":"It failed."},"request_id":"r-2"';
    const failed = inPieces(`{"n":1}\n${record(failure)}`, bytes);
    await expect(written(failed, { file, format: 'ndjson' })).rejects.toThrow(
      'The stream failed: It failed. [engine.failed]\n  request ID r-2',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not complete in Arrow without its end, even if the connection ends well', async () => {
    const rows = Buffer.from([1, 2, 3, 255, 255, 255, 255, 0, 0, 0, 0]);
    expect((await written(inPieces(rows, bytes), { format: 'arrow' })).err).toBe('The stream is complete.\n');
    const cut = inPieces(rows.subarray(0, -1), bytes);
    await expect(written(cut, { format: 'arrow' })).rejects.toThrow('was cut off before its end');
  });
});

it('tells the notices of the headers and of the last line, each once', async () => {
  const [first, second] = ['{"code":"a","message":"First."}', '{"code":"b","message":"Second."}'];
  const text = record(`"status":"complete","rows":0,"meta":{"notices":[${first},${second}]}`);
  const { err } = await written(inPieces(text, 100, { 'x-notices': `[${first}]` }), { format: 'ndjson' });
  expect(err).toBe('0 rows\nnotice: First.\nnotice: Second.\n');
});

it('does not begin a stream whose file cannot be written', async () => {
  const options = { file: join(folder, 'missing', 'rows.csv'), format: 'csv' } as const;
  const open = () => Promise.reject(new Error('it began'));
  const context = {
    out: () => undefined,
    outBytes: () => undefined,
    err: () => undefined,
    columns: undefined,
    onInterrupt: () => () => undefined,
  };
  await expect(writeStream(open, options, context)).rejects.toThrow('cannot be written');
});

describe('a connection that breaks', () => {
  it.each([
    [['--stream', '--format', 'csv'], 'The stream', ' With --format ndjson'],
    [['--stream', '--format', 'arrow'], 'The stream', ' With --format ndjson'],
    [['--stream'], 'The stream', ''],
    [['--format', 'csv'], 'The answer', ''],
  ] as const)('is told in a sentence with the request ID: %s', async (flags, what, advice) => {
    const server = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { 'x-request-id': 'r-7' });
      response.write('"a"\r\n"1"\r\n', () => response.destroy());
    });
    const url = await listenLocally(server);
    try {
      const args = ['query', 'logs.all', ...flags];
      const { code, err } = await runCommandLine({ url, adminToken: 't' }, args);
      const sentence = `${what} was cut off before its end, so what arrived is not complete (`;
      expect([code, err.slice(0, sentence.length)]).toEqual([1, sentence]);
      expect(err).toContain(`; the log of the service has the reason under the request ID r-7).${advice}`);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    } finally {
      server.close();
    }
  });
});
