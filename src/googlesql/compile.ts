import { atOnce } from '../core/concurrency/turns.ts';
import { type CallerTable, callerSession, storedTablesInSteps, type TableContext } from './callerTables.ts';
import { withoutOuterLimit } from './outerLimit.ts';
import { refuseNamesOfEvents } from './plan/memberNames.ts';
import type { TableEnvironment } from './resolve/context.ts';
import { NameScope } from './resolve/nameScope.ts';
import { nameOutputs } from './resolve/outputs.ts';
import { QueryResolver } from './resolve/queries.ts';
import { ResolveSession } from './resolve/session.ts';
import type { Relation, ResolvedQuery, WithTable } from './resolve/tree.ts';
import { type ParsedQuery, parseQuery } from './syntax/parser.ts';
import type { Position } from './syntax/position.ts';
import { withHabits } from './withHabits.ts';

export interface CompileContext extends TableContext {
  /** Whether results of the query are cached, so that volatile functions are refused. Default: false. */
  readonly isCached?: boolean;
}

const noTables: TableEnvironment = { parent: null, tables: new Map() };
const noScope = new NameScope(null, []);

/** A compilation in steps, so that other work can run in between. A step takes up to some tens of milliseconds for the longest text. */
export type CompileSteps = Generator<undefined, ResolvedQuery>;

/** Compiles a stored query. Throws ServiceError `sql.*` with line and column. */
export function compileStored(text: string, context: CompileContext): ResolvedQuery {
  return atOnce(storedInSteps(text, context));
}

/** Like `compileStored`, in steps. */
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

/**
 * Compiles a caller query against the WITH tables of a stored query (googlesql.md, section 5), and no others (callerTables.ts).
 * Throws ServiceError `sql.*` or `sandbox.*` with line and column.
 */
export function compileCaller(text: string, storedText: string, context: CompileContext): ResolvedQuery {
  return atOnce(callerInSteps(text, storedText, context));
}

/** Like `compileCaller`, in steps. */
export function* callerInSteps(text: string, storedText: string, context: CompileContext): CompileSteps {
  const parsed = withHabits(text, () => parseQuery(text));
  yield;
  return yield* callerTreeInSteps(() => parsed, storedText, context, text);
}

/**
 * Like `callerInSteps`, for a syntax tree that may come from another language. `parse` makes it, given the tables. `text` is
 * its GoogleSQL text, if there is one.
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
  const { parameters, isCached, limits } = context;
  const session = callerSession(stored, parameters, { isCached, text, limits });
  for (const notice of parsed.notices) {
    session.note({ code: notice.code, message: notice.message, line: notice.pos.line, column: notice.pos.column });
  }
  const resolve = () => new QueryResolver(session).resolve(parsed.query, stored.environment, noScope);
  const { relation, outputs } = text === undefined ? resolve() : withHabits(text, resolve);
  session.usesNow ||= stored.session.usesNow;
  session.isVolatile ||= stored.session.isVolatile;
  for (const name of stored.session.usedParameters) session.usedParameters.add(name);
  for (const name of stored.session.countParameters) session.countParameters.add(name);
  return finish(relation, outputs, session, parsed.query.pos, stored.fenced);
}

function finish(
  relation: Relation,
  outputs: Parameters<typeof nameOutputs>[0],
  session: ResolveSession,
  pos: Position,
  tables: readonly WithTable[] = [],
): ResolvedQuery {
  const { body, ...limit } = withoutOuterLimit(relation);
  const whole: Relation = tables.length === 0 ? body : { kind: 'with', tables, body };
  refuseNamesOfEvents(whole);
  return {
    relation: whole,
    columns: nameOutputs(outputs, session, pos),
    ...limit,
    notices: session.notices,
    parameters: session.usedParameters,
    countParameters: session.countParameters,
    usesNow: session.usesNow,
    isVolatile: session.isVolatile,
  };
}
