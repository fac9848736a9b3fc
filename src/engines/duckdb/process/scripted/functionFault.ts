import type { DuckDBScalarFunctionInfo } from '@duckdb/node-api';

/** Prefix of the engine's error for a function of ours that failed by itself, whatever its input. */
const mark = 'logmill-fault:';

/** JavaScript's messages for lack of memory. */
const noMemory = /allocation failed|out of memory|Invalid (?:array|typed array|string) length/i;

/**
 * Makes the statement fail as a fault of the service. For any error of a function, the engine would say that its input
 * was invalid.
 */
export function failByFault(info: DuckDBScalarFunctionInfo, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  info.setError(`${mark}${noMemory.test(message) ? 'memory' : 'engine'}:${message}`);
}

const reported = new RegExp(`^Invalid Input Error: ${mark}(memory|engine):`);

/** The fault that an engine error reports; null for other errors. */
export function faultOf(detail: string): 'memory' | 'engine' | null {
  return (reported.exec(detail)?.[1] as 'memory' | 'engine' | undefined) ?? null;
}
