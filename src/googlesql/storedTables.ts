import { LRUCache } from 'lru-cache';
import type { Source } from '../sources/source.ts';
import type { EngineLimits } from './engineLimits.ts';
import { addOptimizationBarriers } from './plan/optimizationBarrier.ts';
import type { TableEnvironment } from './resolve/context.ts';
import type { ParameterType } from './resolve/parameterValue.ts';
import { QueryResolver } from './resolve/queries.ts';
import { ResolveSession } from './resolve/session.ts';
import type { WithTable } from './resolve/tree.ts';
import { parseQuery } from './syntax/parser.ts';

/** What decides the tables of a stored query, besides its text. */
export interface TableContext {
  /** What `sources.<name>` may name in a stored query. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The endpoint's declared parameters. */
  readonly parameters: ReadonlyMap<string, ParameterType>;
  /** Of the engine that is to run the query. Absent: `defaultEngineLimits`. */
  readonly limits?: EngineLimits | undefined;
}

/** The WITH tables of a stored query, resolved: what queries of callers over it are resolved against. Never changed afterwards. */
export interface StoredTables {
  readonly session: ResolveSession;
  readonly environment: TableEnvironment;
  readonly tables: readonly WithTable[];
  /** The tables as a caller's query reads them. */
  readonly fenced: readonly WithTable[];
}

/** Characters of all stored queries together that are remembered; their trees take some hundred bytes each. */
const rememberedCharsMax = 100_000;

const noTables: TableEnvironment = { parent: null, tables: new Map() };

/** By sources, then by what else decides the tables: the text, the types of the parameters and the limits. */
const remembered = new WeakMap<TableContext['sources'], LRUCache<string, StoredTables>>();

/** Resolves the WITH tables of a stored query in steps; once for the same text, sources, parameters and limits. Throws as `compileStored`. */
export function* storedTablesInSteps(
  text: string,
  { sources, parameters, limits }: TableContext,
): Generator<undefined, StoredTables> {
  const known = remembered.get(sources) ?? new LRUCache({ maxSize: rememberedCharsMax });
  remembered.set(sources, known);
  const key = JSON.stringify([text, [...parameters], limits]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const { query } = parseQuery(text);
  yield;
  const session = new ResolveSession(sources, parameters, { limits });
  const { inner, tables } = new QueryResolver(session).environmentOf(query.withEntries, noTables);
  yield;
  const resolved = { session, environment: inner, tables, fenced: addOptimizationBarriers(tables) };
  known.set(key, resolved, { size: key.length });
  return resolved;
}
