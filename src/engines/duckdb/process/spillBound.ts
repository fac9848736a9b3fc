import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';

/** Limits how many bytes statements may spill. */
export class SpillBound {
  readonly #folder: string;
  readonly #bytesMax: number;
  #bytes: number;

  /** @param folder to which only this process spills */
  constructor(folder: string, bytesMax: number) {
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#bytes = bytesMax;
  }

  get isHeld(): boolean {
    return this.#bytes < this.#bytesMax;
  }

  /** Allows `moreBytes` beyond what is spilled now. The engine rejects a lower limit than that. */
  async set(connection: DuckDBConnection, moreBytes: number): Promise<void> {
    const bytes = Math.min(this.#bytesMax, (await spilledBytes(this.#folder)) + moreBytes);
    if (bytes === this.#bytes) return;
    await connection.run(`SET max_temp_directory_size = '${BigInt(bytes)}B'`);
    this.#bytes = bytes;
  }
}

/**
 * Read from the folder, because `duckdb_temporary_files()` opens each file with a large block by its bare name, which
 * the engine's own restriction of file access rejects.
 */
async function spilledBytes(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const sizes = await Promise.all(
    names.map(async (name) => {
      // A statement that ends removes its files meanwhile.
      const found = await stat(join(folder, name)).catch(() => undefined);
      return found?.isFile() === true ? found.size : 0;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
