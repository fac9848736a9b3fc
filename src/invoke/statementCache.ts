import { LRUCache } from 'lru-cache';
import { atOnce, inTurns, type Pause } from '../core/concurrency/turns.ts';
import type { CompileContext, CompileSteps } from '../googlesql/compile.ts';
import type { ParameterType } from '../googlesql/resolve/parameterValue.ts';
import type { ResolvedQuery } from '../googlesql/resolve/tree.ts';
import type { CallerQuery } from './callerQuery.ts';

/** The language front ends, each in steps between which others may have a turn. All throw ServiceError `sql.*`, `lql.*` or `sandbox.*`, with line and column where there is one. */
export interface Compiler {
  storedInSteps(text: string, context: CompileContext): CompileSteps;
  callerInSteps(text: string, storedText: string, context: CompileContext): CompileSteps;
  lqlInSteps(text: string, storedText: string, context: CompileContext): CompileSteps;
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

  /** In one turn. */
  compile(statement: Statement): ResolvedQuery {
    const { key, known, inputs } = this.#look(statement);
    return known ?? this.#keep(key, atOnce(this.#steps(inputs, statement.context.sources)));
  }

  /** As `compile`, in turns: a long text that is seen for the first time takes some tens of milliseconds for each step. */
  async compileInTurns(statement: Statement, pause: Pause): Promise<ResolvedQuery> {
    const { key, known, inputs } = this.#look(statement);
    if (known !== undefined) return known;
    return this.#keep(key, await inTurns(this.#steps(inputs, statement.context.sources), pause));
  }

  #look({ storedText, callerQuery, context: { sources, parameters, isCached = false } }: Statement) {
    const inputs: Inputs = { storedText, callerQuery, parameters: [...parameters], isCached };
    // Sources become more while the service runs, never fewer, and none of them changes.
    const key = JSON.stringify([this.#numberOf(sources), sources.size, inputs]);
    return { key, known: this.#entries.get(key), inputs };
  }

  /** What was kept for the key meanwhile, or else the query: calls that share a text share its plans too. */
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

/** All but the sources that a query is compiled from. */
interface Inputs {
  readonly storedText: string;
  readonly callerQuery: CallerQuery | null;
  readonly parameters: readonly (readonly [name: string, type: ParameterType])[];
  readonly isCached: boolean;
}
