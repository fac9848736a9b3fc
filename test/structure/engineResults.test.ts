import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Functions of the engine's binding that return rows without saying whether they are all. */
const reads =
  /\.(?:fetchChunk|fetchAllChunks|getChunk|(?:runAnd|streamAnd)Read\w*|yield\w*Rows?\w*|getRow(?:s|Objects)\w*|getColumns\w*)\(/;

/** The file that proves the end of a result. */
const reader = 'src/engines/duckdb/process/read/wholeResult.ts';

/** Files of tests. */
const isOfTests = (file: string) => /\.(?:test|fixture|contract)\.ts$/.test(file);

describe('rows of the engine', () => {
  it('are fetched in one place alone, which proves that no failure cut them (decision 62)', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !isOfTests(file))
      .map((file) => join('src', file));
    const reading = files.filter((file) => reads.test(readFileSync(join(root, file), 'utf8')));
    expect(reading).toEqual([reader]);
  });
});
