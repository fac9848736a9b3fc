import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Database from 'libsql';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { turnsTaken } from '../../../test/support/turnsTaken.ts';
import { systemRandomness, uuidV4 } from '../../core/ids.ts';
import { parseDefinition } from '../../endpoints/parseDefinition.ts';
import type { StoreDatabase } from '../sql/schema.ts';
import { SqlEndpointStore } from '../sql/sqlEndpointStore.ts';
import { SqlTokenStore } from '../sql/sqlTokenStore.ts';
import { openDatabase } from './database.ts';

let folder: string;
let database: StoreDatabase;
let other: Database.Database;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'logmill-waiting-'));
  database = await openDatabase(folder);
  other = new Database(join(folder, 'store.sqlite'), { timeout: 0 });
});
afterEach(async () => {
  other.close();
  await database.destroy();
  rmSync(folder, { recursive: true });
});

/** The longest time that the thread was blocked during `work`, in ms. */
async function longestHold<T>(work: Promise<T>): Promise<{ readonly ms: number; readonly result: T }> {
  let isDone = false;
  let ms = 0;
  const watching = (async () => {
    for (let before = performance.now(); !isDone; ) {
      await turn();
      const now = performance.now();
      ms = Math.max(ms, now - before);
      before = now;
    }
  })();
  try {
    const result = await work;
    return { ms, result };
  } finally {
    isDone = true;
    await watching;
  }
}

const write = (generation: number) =>
  database
    .insertInto('generations')
    .values({ subject: `s${generation}`, generation })
    .execute();
const count = async () => (await database.selectFrom('generations').selectAll().execute()).length;

it('reads while a change waits for another process, and does not hold up the thread', async () => {
  await write(1);
  other.exec('begin immediate');
  let isWritten = false;
  const waiting = write(2).then(() => {
    isWritten = true;
  });
  // Queued behind it, in this process.
  const behind = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('generations').values({ subject: 'behind', generation: 3 }).execute();
  });
  const reads = async () => {
    for (let i = 0; i < 200; i += 1) {
      expect(await count()).toBe(1);
      await turn();
    }
  };
  const { ms } = await longestHold(reads());
  expect(isWritten).toBe(false);
  // SQLite's own wait would block it for as long as the other process takes.
  expect(ms).toBeLessThan(1_000);
  other.exec('commit');
  await Promise.all([waiting, behind]);
  expect(await count()).toBe(3);
});

it('refuses all changes with a code where another process does not let go, each after its own wait', async () => {
  await write(1);
  other.exec('begin immediate');
  const started = performance.now();
  const transaction = database.transaction().execute((open) => open.deleteFrom('generations').execute());
  const waiting = await Promise.allSettled([write(2), transaction, write(3), write(4)]);
  const tookMs = performance.now() - started;
  for (const change of waiting) {
    expect(change).toMatchObject({ status: 'rejected', reason: { code: 'service.store_busy', retryAfterSeconds: 5 } });
  }
  // One after another, they would take four times as long.
  expect(tookMs).toBeLessThan(2 * 5_000);
  other.exec('commit');
  await write(5);
  expect(await count()).toBe(2);
}, 60_000);

it('reads what was there before while a transaction is under way, and all of it afterwards', async () => {
  await database.transaction().execute(async (transaction) => {
    await transaction.insertInto('generations').values({ subject: 'a', generation: 1 }).execute();
    expect(await transaction.selectFrom('generations').selectAll().execute()).toHaveLength(1);
    expect(await count()).toBe(0);
    await transaction.insertInto('generations').values({ subject: 'b', generation: 1 }).execute();
  });
  expect(await count()).toBe(2);
});

it('does no statement of a transaction by itself once that has ended', async () => {
  const late = database.transaction().execute(async (transaction) => {
    await transaction.insertInto('generations').values({ subject: 'first', generation: 1 }).execute();
    // As SQLite itself does if the disk is full.
    await transaction.executeQuery(transaction.deleteFrom('generations').compile());
    await transaction.executeQuery({ ...transaction.deleteFrom('generations').compile(), sql: 'rollback' });
    await transaction.insertInto('generations').values({ subject: 'second', generation: 1 }).execute();
  });
  await expect(late).rejects.toThrow('has ended');
  expect(await count()).toBe(0);
});

it('lets others have their turn while thousands of times of last use are written', async () => {
  const store = new SqlTokenStore(database);
  const ids = Array.from({ length: 5_000 }, (_, i) => `t${i}`);
  await database.transaction().execute(async (transaction) => {
    for (const publicId of ids) {
      await transaction
        .insertInto('tokens')
        .values({
          public_id: publicId,
          secret_hash: publicId,
          description: '',
          scopes: 'observe',
          manages: 0,
          slot: null,
          restrictions: null,
          created_at: 1,
          expires_at: null,
          last_used_at: publicId === 't0' ? 99 : null,
          revoked_at: null,
          previous_hash: null,
          previous_until: null,
        })
        .execute();
    }
  });
  const used = new Map([...ids.map((id) => [id, 7] as const), ['nobody', 7]]);
  const turns = await turnsTaken(() => store.recordUse(used));
  const rows = await database.selectFrom('tokens').select(['public_id', 'last_used_at']).execute();
  expect(rows.filter(({ last_used_at }) => last_used_at === 7)).toHaveLength(4_999);
  expect(rows.find(({ public_id }) => public_id === 't0')).toEqual({ public_id: 't0', last_used_at: 99 });
  // If they were written on this thread, this would be one turn, of 305 ms.
  expect(turns).toBeGreaterThan(10);
});

it('lets others have their turn while hundreds of definitions are deployed, and shows all of them or none', async () => {
  const store = new SqlEndpointStore(database);
  const definition = (n: number) =>
    parseDefinition({ id: uuidV4(systemRandomness), name: `many.n${n}`, query: 'select 1' }, { label: 'many' });
  const changes = Array.from({ length: 600 }, (_, n) => ({ kind: 'create' as const, definition: definition(n) }));
  const seen = new Set<number>();
  let isDone = false;
  const looking = (async () => {
    while (!isDone) {
      seen.add((await store.listHeads()).length);
      await turn();
    }
  })();
  const started = performance.now();
  const { ms } = await longestHold(store.apply(changes, { nowMicros: 1, author: null, note: '' }));
  const tookMs = performance.now() - started;
  isDone = true;
  await looking;
  seen.delete((await store.listHeads()).length);
  expect([...seen]).toEqual([0]);
  expect(ms).toBeLessThan(Math.max(50, tookMs / 4));
});
