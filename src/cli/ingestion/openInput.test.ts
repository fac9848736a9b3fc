import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, it } from 'vitest';
import { openInput } from './openInput.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-input-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = Array.from({ length: 50_000 }, (_, n) => `line ${n}\n`).join('');
const hasZstd = spawnSync('zstd', ['--version']).status === 0;

function fileOf(name: string, bytes: Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

async function read(file: string, stdin: NodeJS.ReadableStream = Readable.from([])): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of openInput(file, stdin).chunks) parts.push(Buffer.from(chunk));
  return Buffer.concat(parts).toString();
}

it('reads a file as it is, and one of gzip decompressed, also if it has several members', async () => {
  expect(await read(fileOf('plain', Buffer.from(text)))).toBe(text);
  expect(await read(fileOf('gzip', Buffer.concat([gzipSync(text), gzipSync('more\n')])))).toBe(`${text}more\n`);
  expect(await read('-', Readable.from([gzipSync(text)]))).toBe(text);
  expect(await read(fileOf('empty', Buffer.alloc(0)))).toBe('');
});

it.skipIf(!hasZstd)('reads a file of zstd decompressed, and tells of one that is broken', async () => {
  const compressed = execFileSync('zstd', ['-c', '-q'], { input: text, maxBuffer: 2 ** 26 });
  expect(await read(fileOf('zstd', compressed))).toBe(text);
  const broken = fileOf('half.zst', compressed.subarray(0, compressed.length / 2));
  await expect(read(broken)).rejects.toThrow(/half\.zst is not complete, valid zstd: /);
});

it('tells of a file of gzip that is broken off', async () => {
  const compressed = gzipSync(text);
  const broken = fileOf('half.gz', compressed.subarray(0, compressed.length / 2));
  await expect(read(broken)).rejects.toThrow(/half\.gz is not complete, valid gzip: unexpected end of file\.$/);
});

it('counts the bytes of the file, not those that they become', async () => {
  const compressed = gzipSync(text);
  const input = openInput(fileOf('counted', compressed), Readable.from([]));
  for await (const chunk of input.chunks) expect(chunk.length).toBeGreaterThan(0);
  expect(input.bytesRead()).toBe(compressed.length);
});
