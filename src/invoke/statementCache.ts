import { LRUCache } from 'lru-cache';
import type { CompileContext } from '../googlesql/compile.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';

/** The language front end. Both throw ServiceError `sql.*` or `sandbox.*` with line and column. */
export interface Compiler {
  compileStored(text: string, context: CompileContext): ResolvedQuery;
  compileCaller(text: string, storedText: string, context: CompileContext): ResolvedQuery;
}

export interface StatementCacheSettings {
  readonly entriesMax: number;
  /** Estimated bytes of all entries together. */
  readonly bytesMax: number;
}

export interface Statement {
  readonly endpointId: string;
  readonly version: number;
  readonly storedText: string;
  /** Null for the stored query itself. */
  readonly callerText: string | null;
  readonly context: CompileContext;
}

/** An estimate, on the safe side: a tree node takes some hundred bytes, and few nodes come from less than two characters. */
const treeBytesPerTextByte = 100;

/**
 * Compiles each text once per version of its endpoint. Versions are immutable, so an entry can grow
 * old but never wrong. A text that does not compile is not kept: it is refused anew each time.
 */
export class StatementCache {
  readonly #compiler: Compiler;
  readonly #entries: LRUCache<string, ResolvedQuery>;

  constructor(compiler: Compiler, settings: StatementCacheSettings) {
    this.#compiler = compiler;
    this.#entries = new LRUCache({ max: settings.entriesMax, maxSize: settings.bytesMax });
  }

  compile(statement: Statement): ResolvedQuery {
    const { endpointId, version, storedText, callerText, context } = statement;
    // Neither an id nor a version holds a space; no stored query is keyed like a caller's empty one.
    const key = callerText === null ? `${endpointId} ${version}` : `${endpointId} ${version} ${callerText}`;
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const query =
      callerText === null
        ? this.#compiler.compileStored(storedText, context)
        : this.#compiler.compileCaller(callerText, storedText, context);
    const textBytes = key.length + (callerText === null ? storedText.length : callerText.length + storedText.length);
    this.#entries.set(key, query, { size: textBytes * treeBytesPerTextByte });
    return query;
  }
}
