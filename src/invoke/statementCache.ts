import { LRUCache } from 'lru-cache';
import type { CompileContext } from '../googlesql/compile.ts';
import type { ParameterType } from '../googlesql/resolve/parameterValue.ts';
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
  readonly storedText: string;
  /** Null for the stored query itself. */
  readonly callerQuery: CallerQuery | null;
  readonly context: CompileContext;
}

/** An estimate, on the safe side: a tree node takes some hundred bytes, and few nodes come from less than two characters. */
const treeBytesPerTextByte = 100;

/**
 * Compiles each text once. The key is everything that a query is compiled from, and a query is compiled from
 * nothing but its key, so that no id, and whoever comes to have it, can stand for another text. A text that
 * does not compile is not kept: it is refused anew each time.
 */
export class StatementCache {
  readonly #compiler: Compiler;
  readonly #entries: LRUCache<string, ResolvedQuery>;
  readonly #sources = new WeakMap<CompileContext['sources'], number>();
  #sourcesSeen = 0;

  constructor(compiler: Compiler, settings: StatementCacheSettings) {
    this.#compiler = compiler;
    this.#entries = new LRUCache({ max: settings.entriesMax, maxSize: settings.bytesMax });
  }

  compile({ storedText, callerQuery, context: { sources, parameters, isCached = false } }: Statement): ResolvedQuery {
    const inputs: Inputs = { storedText, callerQuery, parameters: [...parameters], isCached };
    // Sources become more while the service runs, never fewer, and none of them changes.
    const key = JSON.stringify([this.#numberOf(sources), sources.size, inputs]);
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const query = this.#compile(inputs, sources);
    this.#entries.set(key, query, { size: key.length * treeBytesPerTextByte });
    return query;
  }

  #numberOf(sources: CompileContext['sources']): number {
    const known = this.#sources.get(sources);
    if (known !== undefined) return known;
    this.#sourcesSeen += 1;
    this.#sources.set(sources, this.#sourcesSeen);
    return this.#sourcesSeen;
  }

  #compile(
    { storedText, callerQuery, parameters, isCached }: Inputs,
    sources: CompileContext['sources'],
  ): ResolvedQuery {
    const context: CompileContext = { sources, parameters: new Map(parameters), isCached };
    if (callerQuery === null) return this.#compiler.compileStored(storedText, context);
    const { language, text } = callerQuery;
    return language === 'sql'
      ? this.#compiler.compileCaller(text, storedText, context)
      : this.#compiler.compileLql(text, storedText, context);
  }
}

/** All but the sources that a query is compiled from. */
interface Inputs {
  readonly storedText: string;
  readonly callerQuery: CallerQuery | null;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly isCached: boolean;
}
