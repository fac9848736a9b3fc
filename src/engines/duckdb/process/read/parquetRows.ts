import { relative } from 'node:path';
import { quoteText } from '../../sqlText.ts';

/**
 * The rows of a Parquet file, for a FROM. The path is relative to the working directory, the folder of the events,
 * because the engine takes `[`, `*` and `?` of a path for a pattern, which other files could match. In a folder named
 * `project=x`, it would otherwise replace every project.
 */
export const parquetRows = (path: string): string =>
  `read_parquet(${quoteText(relative(process.cwd(), path))}, hive_partitioning = false)`;
