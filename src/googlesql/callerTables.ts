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
import type { SqlType } from './types.ts';

/** Everything that determines the tables of a stored query, except its text. */
export interface TableContext {
  /** The sources that a stored query can name as `sources.<name>`. */
  readonly sources: ReadonlyMap<string, Source>;
  /** The endpoint's declared parameters. */
  readonly parameters: ReadonlyMap<string, ParameterType>;
  /** The limits of the engine that will run the query. Default: `defaultEngineLimits`. */
  readonly limits?: EngineLimits | undefined;
}

/** The resolved WITH tables of a stored query, against which caller queries are resolved. Immutable. */
export interface StoredTables {
  readonly session: ResolveSession;
  readonly environment: TableEnvironment;
  readonly tables: readonly WithTable[];
  /** The tables as caller queries read them, with optimization barriers. */
  readonly fenced: readonly WithTable[];
}

/** The most characters of stored queries to cache; their trees take some hundred bytes per character. */
const rememberedCharsMax = 100_000;

const noTables: TableEnvironment = { parent: null, tables: new Map() };

/** By sources, then by everything else that determines the tables: text, parameter types and limits. */
const remembered = new WeakMap<TableContext['sources'], LRUCache<string, StoredTables>>();

/** Resolves the WITH tables of a stored query in steps; cached by text, sources, parameters and limits. Throws like `compileStored`. */
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

/**
 * The session in which a caller query is resolved. It has no sources, so the query can name no table but the WITH tables
 * of the stored query (googlesql.md, section 5).
 */
export function callerSession(
  stored: StoredTables,
  parameters: TableContext['parameters'],
  options: { isCached: boolean | undefined; text: string | undefined; limits: EngineLimits | undefined },
): ResolveSession {
  // INFORMATION_SCHEMA is of GoogleSQL: a query in LQL, which has no text in it, cannot read it.
  const sandboxTables = options.text === undefined ? null : stored.tables;
  return new ResolveSession(null, parameters, { ...options, origin: stored.session, sandboxTables });
}

/** A table that a caller query may read, with its columns in order. */
export interface CallerTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
}

/** The WITH tables of a stored query, in order, which caller queries may read, in steps. Throws like `compileStored`. */
export function* callerTablesInSteps(
  storedText: string,
  context: TableContext,
): Generator<undefined, readonly CallerTable[]> {
  const { tables } = yield* storedTablesInSteps(storedText, context);
  return tables.map(({ name, columns }) => ({
    name,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
  }));
}
