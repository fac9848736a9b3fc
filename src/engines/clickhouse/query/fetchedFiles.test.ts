import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EngineDied, EngineFailure } from '../../duckdb/host/engineFailure.ts';
import type { CallFailure } from '../../duckdb/process/protocol.ts';
import { FetchedFiles } from './fetchedFiles.ts';

const folder = mkdtempSync(join(tmpdir(), 'logmill-fetched-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('gives free names out again, but never a path: an engine could remember the rows of another run by it', async () => {
  const files = await FetchedFiles.open(join(folder, 'rows'));
  const paths = new Set<string>();
  for (let run = 0; run < 50; run++) {
    const taken = [files.take(), files.take()];
    expect(taken.map(({ alias }) => alias)).toEqual(['rows_0', 'rows_1']);
    for (const { path } of taken) {
      expect(paths.has(path)).toBe(false);
      paths.add(path);
      writeFileSync(path, '');
    }
    await files.release(taken);
    for (const { path } of taken) expect(existsSync(path)).toBe(false);
  }
  await files.close();
});

describe('rows that the engine cannot attach', () => {
  const failure = (kind: CallFailure['kind'], detail: string) =>
    new EngineFailure({ kind, detail, message: null, line: 0, column: 0 });

  async function provided(error: Error): Promise<unknown> {
    const files = await FetchedFiles.open(join(folder, 'unreadable'));
    const taken = files.take();
    const table = { table: 'edge_logs', columns: [], irregular: null, check: null, events: null };
    files.set({ alias: taken.alias, table: { ...table, path: taken.path, rows: 5 } });
    const part = { table: 'edge_logs', projects: null, fromMicros: null, toMicros: null };
    const engine = { call: async () => await Promise.reject(error) };
    const thrown = await files
      .provide(engine, [{ file: { alias: taken.alias, kind: 'sealed' }, part }])
      .catch((each: unknown) => each);
    await files.close();
    return thrown;
  }

  it.each([
    ['engine', 'IO Error: a fetched file does not have the 5 rows that were announced'],
    ['engine', 'Invalid Error: TProtocolException: Invalid data'],
    ['data', 'Invalid Input Error: Invalid string encoding found in Parquet file: value "anna" is not valid UTF8'],
  ] as const)('are an incomplete answer of ClickHouse: %s, %s', async (kind, detail) => {
    const thrown = await provided(failure(kind, detail));
    expect(thrown).toMatchObject({ code: 'engine.restarting', retryAfterSeconds: 5 });
    expect((thrown as Error).message).not.toMatch(/Error|rows|anna/);
  });

  it.each([
    ['memory', 'Out of Memory Error: failed to allocate'],
    ['interrupted', 'INTERRUPT Error: Interrupted!'],
    ['engine', 'FATAL Error: database has been invalidated'],
    ['engine', 'IO Error: Could not write file: No space left on device'],
  ] as const)('fail as other statements do, if their file is not the reason: %s, %s', async (kind, detail) => {
    const error = failure(kind, detail);
    expect(await provided(error)).toBe(error);
  });

  it('are attached to the next engine if the process has ended', async () => {
    const error = new EngineDied('killed');
    expect(await provided(error)).toBe(error);
  });
});
