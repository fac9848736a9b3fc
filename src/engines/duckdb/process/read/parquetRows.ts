import { quoteText } from '../../sqlText.ts';

/** The rows of a Parquet file, for a FROM. In a folder named `project=x`, the engine would otherwise replace every project. */
export const parquetRows = (path: string): string => `read_parquet(${quoteText(path)}, hive_partitioning = false)`;
