import { DuckDBInstance, type DuckDBResult } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { begin, rollBack } from './transaction.ts';

const isOutOfMemory = (error: unknown): true => {
  expect(String(error)).toContain('Out of Memory Error');
  return true;
};

/** Reads results in part until the engine has memory for none more. Returns them: an unread one that is collected would free its memory. */
async function fillMemory(instance: DuckDBInstance): Promise<readonly DuckDBResult[]> {
  const held: DuckDBResult[] = [];
  // A query that fails gives back what it had, which can be enough for a small one: several must fail in a row.
  for (let failures = 0; failures < 5; ) {
    const reader = await instance.connect();
    const result = await reader.stream('SELECT i FROM range(10000) AS t(i)').catch(isOutOfMemory);
    if (result === true) failures += 1;
    else {
      held.push(result);
      failures = (await result.fetchChunk().catch(isOutOfMemory)) === true ? failures + 1 : 0;
    }
  }
  return held;
}

/** Ends the queries that hold memory. */
async function readToTheEnd(held: readonly DuckDBResult[]): Promise<void> {
  for (const result of held) while (((await result.fetchChunk().catch(() => null))?.rowCount ?? 0) > 0);
}

it('ends a transaction also when queries hold so much memory that ROLLBACK has none for its result', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  await connection.run(`SET memory_limit = '4194304B'`);
  await connection.run(`SET max_temp_directory_size = '0B'`);
  await connection.run('BEGIN TRANSACTION READ ONLY');
  const held = await fillMemory(instance);

  const failures: string[] = [];
  const watched = new Proxy(connection, {
    get(target, name) {
      if (name !== 'run') return Reflect.get(target, name) as unknown;
      return async (sql: string) => {
        if (failures.length === 1) await readToTheEnd(held);
        return await target.run(sql).catch((error: unknown) => {
          failures.push(String(error));
          throw error;
        });
      };
    },
  });
  await rollBack(watched);
  expect(failures[0]).toContain('Out of Memory Error');
  await expect(connection.run('ROLLBACK')).rejects.toThrow('no transaction is active');
  // Without a transaction, it has nothing to do.
  await rollBack(connection);

  connection.closeSync();
  instance.closeSync();
});

it('leaves no transaction behind if BEGIN fails after the transaction has begun', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  let failures = 0;
  const failing = new Proxy(connection, {
    get(target, name) {
      if (name !== 'run') return Reflect.get(target, name) as unknown;
      return async (sql: string) => {
        const result = await target.run(sql);
        if (!sql.startsWith('BEGIN')) return result;
        failures++;
        throw new Error('Out of Memory Error: failed to allocate data of size 2.0 KiB');
      };
    },
  });

  await expect(begin(failing, 'READ WRITE')).rejects.toThrow('Out of Memory Error');
  expect(failures).toBe(1);
  await begin(connection, 'READ ONLY');
  await rollBack(connection);

  connection.closeSync();
  instance.closeSync();
});
