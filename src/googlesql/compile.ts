import { atOnce } from '../core/concurrency/turns.ts';
import { refuseNamesOfEvents } from './plan/memberNames.ts';
import type { TableEnvironment } from './resolve/context.ts';
import { NameScope } from './resolve/nameScope.ts';
import { nameOutputs } from './resolve/outputs.ts';
import { QueryResolver } from './resolve/queries.ts';
import { ResolveSession } from './resolve/session.ts';
import type { Relation, ResolvedQuery, WithTable } from './resolve/tree.ts';
import { storedTablesInSteps, type TableContext } from './storedTables.ts';
import { type ParsedQuery, parseQuery } from './syntax/parser.ts';
import type { Position } from './syntax/position.ts';
import type { SqlType } from './types.ts';
import { withHabits } from './withHabits.ts';

export interface CompileContext extends TableContext {
  /** Whether results of the query are to be kept: it is then to mean the same each time. Absent: they are not. */
  readonly isCached?: boolean;
}

const noTables: TableEnvironment = { parent: null, tables: new Map() };
const noScope = new NameScope(null, []);

/** A query that is compiled step by step: others may have a turn between them. Each takes some tens of milliseconds for the longest text. */
export type CompileSteps = Generator<undefined, ResolvedQuery>;

/** Compiles a stored query. Throws ServiceError `sql.*` with line and column. */
export function compileStored(text: string, context: CompileContext): ResolvedQuery {
  return atOnce(storedInSteps(text, context));
}

/** As `compileStored`. */
export function* storedInSteps(text: string, context: CompileContext): CompileSteps {
  const parsed = withHabits(text, () => parseQuery(text));
  yield;
  const session = new ResolveSession(context.sources, context.parameters, {
    isCached: context.isCached,
    text,
    limits: context.limits,
  });
  for (const notice of parsed.notices) {
    session.note({ code: notice.code, message: notice.message, line: notice.pos.line, column: notice.pos.column });
  }
  const resolve = () => new QueryResolver(session).resolve(parsed.query, noTables, noScope);
  const { relation, outputs } = withHabits(text, resolve);
  return finish(relation, outputs, session, parsed.query.pos);
}

/** A table that a caller's query may read, and its columns in order. */
export interface CallerTable {
  readonly name: string;
  readonly columns: readonly { readonly name: string; readonly type: SqlType }[];
}

/** The WITH tables of a stored query, in its order: those that queries of callers may read. Throws as `compileStored`. */
export function callerTables(storedText: string, context: CompileContext): readonly CallerTable[] {
  return atOnce(callerTablesInSteps(storedText, context));
}

/** As `callerTables`. */
export function* callerTablesInSteps(
  storedText: string,
  context: CompileContext,
): Generator<undefined, readonly CallerTable[]> {
  const { tables } = yield* storedTablesInSteps(storedText, context);
  return tables.map(({ name, columns }) => ({
    name,
    columns: columns.map((column) => ({ name: column.name, type: column.type })),
  }));
}

/**
 * Compiles a caller's query against the WITH tables of a stored query and nothing else
 * (googlesql.md, section 5): the caller's text is resolved where only they exist. Throws
 * ServiceError `sql.*` or `sandbox.*` with line and column.
 */
export function compileCaller(text: string, storedText: string, context: CompileContext): ResolvedQuery {
  return atOnce(callerInSteps(text, storedText, context));
}

/** As `compileCaller`. */
export function* callerInSteps(text: string, storedText: string, context: CompileContext): CompileSteps {
  const parsed = withHabits(text, () => parseQuery(text));
  yield;
  return yield* callerTreeInSteps(() => parsed, storedText, context, text);
}

/**
 * As `callerInSteps`, of a query whose syntax tree comes from another notation: `parse` makes it,
 * told which tables there are. `text` is GoogleSQL that it was made of, if it was.
 */
export function* callerTreeInSteps(
  parse: (tables: readonly CallerTable[]) => ParsedQuery,
  storedText: string,
  context: CompileContext,
  text?: string,
): CompileSteps {
  const stored = yield* storedTablesInSteps(storedText, context);
  yield;
  const parsed = parse(stored.tables);
  const session = new ResolveSession(null, context.parameters, {
    origin: stored.session,
    isCached: context.isCached,
    text,
    limits: context.limits,
  });
  for (const notice of parsed.notices) {
    session.note({ code: notice.code, message: notice.message, line: notice.pos.line, column: notice.pos.column });
  }
  const resolve = () => new QueryResolver(session).resolve(parsed.query, stored.environment, noScope);
  const { relation, outputs } = text === undefined ? resolve() : withHabits(text, resolve);
  session.usesNow ||= stored.session.usesNow;
  session.isVolatile ||= stored.session.isVolatile;
  for (const name of stored.session.usedParameters) session.usedParameters.add(name);
  return finish(relation, outputs, session, parsed.query.pos, stored.fenced);
}

function finish(
  relation: Relation,
  outputs: Parameters<typeof nameOutputs>[0],
  session: ResolveSession,
  pos: Position,
  tables: readonly WithTable[] = [],
): ResolvedQuery {
  const { body, limit } = withoutOuterLimit(relation);
  const whole: Relation = tables.length === 0 ? body : { kind: 'with', tables, body };
  refuseNamesOfEvents(whole);
  return {
    relation: whole,
    columns: nameOutputs(outputs, session, pos),
    outerLimit: limit,
    notices: session.notices,
    parameters: session.usedParameters,
    usesNow: session.usesNow,
    isVolatile: session.isVolatile,
  };
}

/** A literal LIMIT of the outermost query is the business of whoever runs it. */
function withoutOuterLimit(relation: Relation): { body: Relation; limit: number | null } {
  if (relation.kind === 'with') {
    const { body, limit } = withoutOuterLimit(relation.body);
    return { body: { ...relation, body }, limit };
  }
  if (relation.kind !== 'limit' || relation.offset !== null) return { body: relation, limit: null };
  const { limit } = relation;
  if (limit?.kind !== 'literal' || typeof limit.value !== 'bigint' || limit.value > 1_000_000_000n) {
    return { body: relation, limit: null };
  }
  return { body: relation.input, limit: Number(limit.value) };
}
