import type { Source } from '../sources/source.ts';
import type { ParameterType } from './resolve/parameterValue.ts';
import type { ResolvedQuery } from './resolve/tree.ts';

export interface CompileContext {
  /** What `sources.<name>` may name in a stored query. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The endpoint's declared parameters. */
  readonly parameters: ReadonlyMap<string, ParameterType>;
}

/** Compiles a stored query. Throws ServiceError `sql.*` with line and column. */
export function compileStored(_text: string, _context: CompileContext): ResolvedQuery {
  throw new Error('not reached before the resolver lands');
}

/**
 * Compiles a caller's query against the WITH tables of a stored query and nothing else
 * (googlesql.md, section 5). Throws ServiceError `sql.*` or `sandbox.*` with line and column.
 */
export function compileCaller(_text: string, _storedText: string, _context: CompileContext): ResolvedQuery {
  throw new Error('not reached before the resolver lands');
}
