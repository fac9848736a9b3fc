import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { printableLines } from '../core/printable.ts';
import { writeStream } from './writeStream.ts';

const folder = mkdtempSync(join(tmpdir(), 'stream-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** An answer whose body arrives in pieces of this many bytes. */
function inPieces(text: string, bytes: number): Response {
  const all = Buffer.from(text);
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < all.length; at += bytes) controller.enqueue(Uint8Array.from(all.subarray(at, at + bytes)));
      controller.close();
    },
  });
  return new Response(body);
}

/** What is written as results, escaped as in a terminal, and as messages. */
async function written(response: Response, options: { readonly out?: string; readonly isNdjson: boolean }) {
  const shown = { out: '', err: '' };
  const context = {
    out(text: string) {
      shown.out += printableLines(text);
    },
    err(text: string) {
      shown.err += text;
    },
  };
  await writeStream(async () => response, { out: options.out, isNdjson: options.isNdjson }, context);
  return shown;
}

const record = (members: string) => `{"@logmill":{${members}}}\n`;
const complete = `{"n":"é😀"}\n{"n":2}\n${record('"status":"complete","rows":2,"meta":{}')}`;
const csv = '\ufeffn,text\r\n1,"é😀\r\nx"\r\n2,\r\n';

describe.each([1, 2, 3, 7, 1000])('a stream that arrives in pieces of %d bytes', (bytes) => {
  it('is printed as it is', async () => {
    const table = await written(inPieces(csv, bytes), { isNdjson: false });
    expect(table).toEqual({ out: csv, err: 'The stream is complete.\n' });
    const lines = await written(inPieces(complete, bytes), { isNdjson: true });
    expect(lines).toEqual({ out: complete, err: '2 rows\n' });
  });

  it('becomes a file only if it is complete', async () => {
    const out = join(folder, 'rows.ndjson');
    expect(await written(inPieces(complete, bytes), { out, isNdjson: true })).toEqual({
      out: '',
      err: `2 rows in ${out}\n`,
    });
    expect(readFileSync(out, 'utf8')).toBe(complete);
    rmSync(out);
    const table = join(folder, 'rows.csv');
    const { err } = await written(inPieces(csv, bytes), { out: table, isNdjson: false });
    expect(err).toBe(`The stream is complete. Its rows are in ${table}.\n`);
    rmSync(table);
    const cut = inPieces('{"n":1}\n{"n":2}\n', bytes);
    await expect(written(cut, { out, isNdjson: true })).rejects.toThrow('cut off before its end');
    const failed = inPieces(`{"n":1}\n${record('"status":"error","rows":1,"error":{"message":"It failed."}')}`, bytes);
    await expect(written(failed, { out, isNdjson: true })).rejects.toThrow('It failed.');
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('does not begin a stream whose file cannot be written', async () => {
  const options = { out: join(folder, 'missing', 'rows.csv'), isNdjson: false };
  const open = () => Promise.reject(new Error('it began'));
  await expect(writeStream(open, options, { out: () => {}, err: () => {} })).rejects.toThrow('cannot be written');
});
