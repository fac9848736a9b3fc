import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { StoreDatabase } from '../sql/schema.ts';
import { openDatabase } from './database.ts';

const started: Worker[] = [];
const note = (worker: Worker) => started.push(worker);

let dataDir: string;
let database: StoreDatabase;
beforeEach(async () => {
  process.on('worker', note);
  dataDir = mkdtempSync(join(tmpdir(), 'logmill-thread-'));
  database = await openDatabase(dataDir);
});
afterEach(async () => {
  process.off('worker', note);
  await database.destroy();
  rmSync(dataDir, { recursive: true });
});

const write = (subject: string) => database.insertInto('generations').values({ subject, generation: 1 }).execute();
const subjects = async () =>
  (await database.selectFrom('generations').select('subject').orderBy('subject').execute()).map((row) => row.subject);

async function endThread(): Promise<void> {
  const worker = started.at(-1);
  if (worker === undefined) throw new Error('no thread was started');
  await worker.terminate();
}

it('keeps what was acknowledged, and nothing of a transaction, when its thread ends, and goes on', async () => {
  await write('a');
  const broken = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('generations').values({ subject: 'half', generation: 1 }).execute();
    await endThread();
    await transaction.insertInto('generations').values({ subject: 'other half', generation: 1 }).execute();
  });
  await expect(broken).rejects.toThrow('has ended');
  expect(await subjects()).toEqual(['a']);
  // The lock and the log of the ended thread do not get in the way.
  await write('b');
  await endThread();
  await Promise.all([write('c'), write('d')]);
  expect(await subjects()).toEqual(['a', 'b', 'c', 'd']);
});

it('refuses what was asked of a thread that ends meanwhile', async () => {
  await write('a');
  const asked = Promise.allSettled(Array.from({ length: 50 }, (_, n) => write(`n${n}`)));
  await endThread();
  const settled = await asked;
  const there = new Set(await subjects());
  for (const [n, { status }] of settled.entries()) {
    // A refused change may have been made; an acknowledged one must be there.
    if (status === 'fulfilled') expect(there.has(`n${n}`)).toBe(true);
  }
  await write('z');
  expect(await subjects()).toContain('z');
});
