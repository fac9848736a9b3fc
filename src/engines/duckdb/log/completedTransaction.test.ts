import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hasTransaction } from './completedTransaction.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-wal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const end = Buffer.from([5, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0x64, 0, 0x64, 0xff, 0xff]);
const withLog = (log: Uint8Array) => {
  writeFileSync(join(folder, 'a.duckdb.wal'), log);
  return hasTransaction(join(folder, 'a.duckdb'));
};

it('finds the end of a transaction wherever it lies, also across what is read at a time', async () => {
  for (const before of [0, 1, 100, 2 ** 20 - 21, 2 ** 20 - 10, 2 ** 20 - 1, 2 ** 20, 3_000_000]) {
    expect(await withLog(Buffer.concat([Buffer.alloc(before, 5), end, Buffer.alloc(9)])), String(before)).toBe(true);
  }
});

it('finds none in a log that was begun only, in an empty one, and where there is none', async () => {
  expect(await withLog(end.subarray(0, 20))).toBe(false);
  expect(await withLog(Buffer.alloc(100_000))).toBe(false);
  expect(await withLog(Buffer.alloc(0))).toBe(false);
  expect(await hasTransaction(join(folder, 'other.duckdb'))).toBe(false);
});
