import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, it } from 'vitest';
import { begin, rollBack } from './transaction.ts';

const isOutOfMemory = (error: unknown): true => {
  expect(String(error)).toContain('Out of Memory Error');
  return true;
};

/** Opens results that hold memory until the engine has none for another one. Returns them. */
async function fillMemory(instance: DuckDBInstance): Promise<readonly unknown[]> {
  const held: unknown[] = [];
  for (;;) {
    const reader = await instance.connect();
    const result = await reader.stream('SELECT i FROM range(10000) AS t(i)').catch(isOutOfMemory);
    if (result === true || (await result.fetchChunk().catch(isOutOfMemory)) === true) return held;
    held.push(reader, result);
  }
}

it('ends a transaction also when queries hold so much memory that ROLLBACK has none for its result', async () => {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connections: DuckDBConnection[] = [await instance.connect(), await instance.connect()];
  const [first, second] = connections as [DuckDBConnection, DuckDBConnection];
  await first.run(`SET memory_limit = '4194304B'`);
  await first.run(`SET max_temp_directory_size = '0B'`);
  for (const each of connections) await each.run('BEGIN TRANSACTION READ ONLY');
  const held = await fillMemory(instance);

  await expect(first.run('ROLLBACK')).rejects.toThrow('Out of Memory Error');
  await rollBack(first);
  await expect(first.run('ROLLBACK')).rejects.toThrow('no transaction is active');
  // Without a transaction, it has nothing to do.
  await rollBack(first);

  expect(held.length).toBeGreaterThan(0);
  await rollBack(second);
  for (const each of connections) each.closeSync();
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
