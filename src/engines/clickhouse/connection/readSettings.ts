import { emitSettings } from '../emit/settings.ts';
import { textMap } from '../sqlText.ts';
import type { RequestSettings } from './clickhouseServer.ts';

/** Bounds of one SELECT. A query that exceeds one fails; it is never cut. */
export interface SelectBounds {
  /** Whole milliseconds, at least 1. */
  readonly timeoutMs: number;
  /** 0 for no bound. */
  readonly rowsMax: number;
  /** Of the result in ClickHouse's memory. */
  readonly bytesMax: number;
  /** Of the answer in Parquet. */
  readonly answerBytesMax: number;
  readonly memoryBytesMax: number;
}

/** Release whose meaning of statements is used, also by later servers. */
export const compatibleRelease = '26.3';

/** Settings that decide what a statement means. They are the same for every query. */
export const meaningSettings: RequestSettings = {
  // First, because it sets defaults of the others.
  compatibility: compatibleRelease,
  session_timezone: 'UTC',
  join_use_nulls: 1,
  // Otherwise, functions of times wrap around outside the years 1970 to 2149.
  enable_extended_results_for_datetime_functions: 1,
};

/**
 * Settings of every SELECT. `readonly` keeps the statement from changing any of them, above all the filters that keep
 * projects apart.
 */
export function readSettings(filters: ReadonlyMap<string, string>, bounds: SelectBounds): RequestSettings {
  return {
    ...meaningSettings,
    ...emitSettings,
    additional_table_filters: textMap(filters),
    max_execution_time: bounds.timeoutMs / 1000,
    timeout_overflow_mode: 'throw',
    max_result_rows: bounds.rowsMax,
    max_result_bytes: bounds.bytesMax,
    result_overflow_mode: 'throw',
    max_memory_usage: bounds.memoryBytesMax,
    use_query_cache: 0,
    // The whole answer is ready before its first byte is sent, so that a failure has a status of its own.
    wait_end_of_query: 1,
    cancel_http_readonly_queries_on_client_close: 1,
    output_format_parquet_compression_method: 'lz4',
    output_format_parquet_string_as_string: 1,
    // A damaged or lagging shard must fail the query, not shorten its answer.
    skip_unavailable_shards: 0,
    fallback_to_stale_replicas_for_distributed_queries: 0,
    max_replica_delay_for_distributed_queries: 1,
    readonly: 1,
  };
}
