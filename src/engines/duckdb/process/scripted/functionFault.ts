import type { DuckDBScalarFunctionInfo } from '@duckdb/node-api';

/** Begins what the engine is told of a function of ours that failed by itself, whatever value it was given. */
const mark = 'logmill-fault:';

/** What JavaScript says where it finds no memory. */
const noMemory = /allocation failed|out of memory|Invalid (?:array|typed array|string) length/i;

/** Has the statement fail as the service's own fault: the engine says of any error of a function that its input was invalid. */
export function failByFault(info: DuckDBScalarFunctionInfo, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  info.setError(`${mark}${noMemory.test(message) ? 'memory' : 'engine'}:${message}`);
}

const reported = new RegExp(`^Invalid Input Error: ${mark}(memory|engine):`);

/** Which fault an engine error tells of; null where it is another error. */
export function faultOf(detail: string): 'memory' | 'engine' | null {
  return (reported.exec(detail)?.[1] as 'memory' | 'engine' | undefined) ?? null;
}
