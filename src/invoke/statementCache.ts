import { LRUCache } from 'lru-cache';
import type { CompileContext } from '../googlesql/compile.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { CallerQuery } from './callerQuery.ts';

/** The language front ends. All throw ServiceError `sql.*`, `lql.*` or `sandbox.*`, with line and column where there is one. */
export interface Compiler {
  compileStored(text: string, context: CompileContext): ResolvedQuery;
  compileCaller(text: string, storedText: string, context: CompileContext): ResolvedQuery;
  compileLql(text: string, storedText: string, context: CompileContext): ResolvedQuery;
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
  readonly callerQuery: CallerQuery | null;
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
    const key = keyOf(statement);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const query = this.#compile(statement);
    const textBytes = key.length + statement.storedText.length + (statement.callerQuery?.text.length ?? 0);
    this.#entries.set(key, query, { size: textBytes * treeBytesPerTextByte });
    return query;
  }

  #compile({ storedText, callerQuery, context }: Statement): ResolvedQuery {
    if (callerQuery === null) return this.#compiler.compileStored(storedText, context);
    const { language, text } = callerQuery;
    return language === 'sql'
      ? this.#compiler.compileCaller(text, storedText, context)
      : this.#compiler.compileLql(text, storedText, context);
  }
}

/** Neither an id nor a version nor a language holds a space; no stored query is keyed like a caller's empty one. */
function keyOf({ endpointId, version, callerQuery }: Statement): string {
  const ofStored = `${endpointId} ${version}`;
  return callerQuery === null ? ofStored : `${ofStored} ${callerQuery.language} ${callerQuery.text}`;
}
