import { LRUCache } from 'lru-cache';
import { atOnce, inTurns, type Pause } from '../core/concurrency/turns.ts';
import type { CompileContext, CompileSteps } from '../googlesql/compile.ts';
import type { ParameterType } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { CallerQuery } from './callerQueryText.ts';

/**
 * The language front ends. They compile in steps, so that other work can run between them. All throw ServiceError
 * `sql.*`, `lql.*` or `sandbox.*`, with line and column if known.
 */
export interface Compiler {
  storedInSteps(text: string, context: CompileContext): CompileSteps;
  callerInSteps(text: string, storedText: string, context: CompileContext): CompileSteps;
  lqlInSteps(text: string, storedText: string, context: CompileContext): CompileSteps;
}

export interface StatementCacheSettings {
  readonly entriesMax: number;
  /** Estimated maximum size of all entries together. */
  readonly bytesMax: number;
}

export interface Statement {
  readonly storedText: string;
  /** Null for the stored query itself. */
  readonly callerQuery: CallerQuery | null;
  readonly context: CompileContext;
}

/** Upper estimate: a tree node takes some hundred bytes, and most nodes come from at least two characters. */
const treeBytesPerTextByte = 100;

/**
 * Compiles each text once. The key contains everything that a query is compiled from, and compilation uses only the
 * key, so an ID can never stand for another text. Texts that do not compile are not cached.
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

  /** Compiles in one turn. */
  compile(statement: Statement): ResolvedQuery {
    const { key, known, inputs } = this.#look(statement);
    return known ?? this.#keep(key, atOnce(this.#steps(inputs, statement.context.sources)));
  }

  /** Like `compile`, in turns: a long new text takes some tens of milliseconds for each step. */
  async compileInTurns(statement: Statement, pause: Pause): Promise<ResolvedQuery> {
    const { key, known, inputs } = this.#look(statement);
    if (known !== undefined) return known;
    return this.#keep(key, await inTurns(this.#steps(inputs, statement.context.sources), pause));
  }

  #look({ storedText, callerQuery, context: { sources, parameters, isCached = false } }: Statement) {
    const inputs: Inputs = { storedText, callerQuery, parameters: [...parameters], isCached };
    // Sources are only ever added and never change, so their number identifies them.
    const key = JSON.stringify([this.#numberOf(sources), sources.size, inputs]);
    return { key, known: this.#entries.get(key), inputs };
  }

  /**
   * Returns the query already cached for the key, or else caches this one, so that calls with the same text also share
   * plans.
   */
  #keep(key: string, query: ResolvedQuery): ResolvedQuery {
    const kept = this.#entries.get(key);
    if (kept !== undefined) return kept;
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

  #steps({ storedText, callerQuery, parameters, isCached }: Inputs, sources: CompileContext['sources']): CompileSteps {
    const context: CompileContext = { sources, parameters: new Map(parameters), isCached };
    if (callerQuery === null) return this.#compiler.storedInSteps(storedText, context);
    const { language, text } = callerQuery;
    return language === 'sql'
      ? this.#compiler.callerInSteps(text, storedText, context)
      : this.#compiler.lqlInSteps(text, storedText, context);
  }
}

/** Everything that a query is compiled from, except the sources. */
interface Inputs {
  readonly storedText: string;
  readonly callerQuery: CallerQuery | null;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly isCached: boolean;
}
