import type { DuckDBConnection } from '@duckdb/node-api';
import { readRows } from './read/wholeResult.ts';

/** How many bytes statements may spill. */
export class SpillBound {
  readonly #bytesMax: number;
  #bytes: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
    this.#bytes = bytesMax;
  }

  get isHeld(): boolean {
    return this.#bytes < this.#bytesMax;
  }

  /** Lets so many bytes more be spilled than are now. The engine refuses a bound below those. */
  async set(connection: DuckDBConnection, moreBytes: number): Promise<void> {
    const [row] = await readRows(connection, 'SELECT coalesce(sum(size), 0)::BIGINT FROM duckdb_temporary_files()');
    const bytes = Math.min(this.#bytesMax, Number(row?.[0] ?? 0) + moreBytes);
    if (bytes === this.#bytes) return;
    await connection.run(`SET max_temp_directory_size = '${BigInt(bytes)}B'`);
    this.#bytes = bytes;
  }
}
