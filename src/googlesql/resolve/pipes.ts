import { assertNever } from '../../core/assertNever.ts';
import { nearestName } from '../../core/nearestName.ts';
import { findFunction } from '../functions/catalogue.ts';
import type {
  FunctionCall,
  Identifier,
  NamedWindow,
  OrderingItem,
  PipeAggregate,
  PipeOperator,
  PipeSelect,
  PipeWhere,
  Position,
  Query,
  Select,
  SelectItem,
  WithEntry,
} from '../syntax/nodes.ts';
import { typeName } from '../types.ts';
import type { ExpressionContext, ResolvedSubquery, TableEnvironment } from './context.ts';
import { condition, impliedName, resolveExpr } from './expressions.ts';
import { resolveJoin } from './from.ts';
import { isGroupable } from './groupable.ts';
import { holdsCallNode } from './holdsCallNode.ts';
import { resolveLimit } from './limit.ts';
import { named } from './named.ts';
import { type NamedColumn, NameScope } from './nameScope.ts';
import { columnExpr, findName, quote } from './names.ts';
import { resolveOrdering } from './ordering.ts';
import {
  changeColumns,
  distinctRows,
  listedColumns,
  type PipeTable,
  pipeTableOf,
  queryOf,
  sorted,
  withComputed,
  withoutAliases,
} from './pipeTable.ts';
import { type OuterContext, selectFrom } from './select.ts';
import { combineArms } from './setOperations.ts';
import { sqlError } from './sqlError.ts';
import { expandStar } from './star.ts';
import type { Computed, Relation, WindowCall, WithTable } from './tree.ts';
import { namedWindowsOf } from './windows.ts';

/** Resolves the queries inside pipe operators. */
export interface QueryTools {
  query(query: Query, environment: TableEnvironment, parent: NameScope): ResolvedSubquery;
  withTables(
    entries: readonly WithEntry[],
    environment: TableEnvironment,
  ): { readonly inner: TableEnvironment; readonly tables: readonly WithTable[] };
}

/** The most pipe operators in one query: each adds a subquery for the engine. */
export const pipesMax = 100;

/**
 * Resolves pipe operators in order; each works on the table that the previous one returns (GoogleSQL, "Pipe query syntax").
 * `tables` are those that `|> WITH` adds.
 */
export function resolvePipes(
  pipes: readonly PipeOperator[],
  input: PipeTable,
  outer: OuterContext,
  tools: QueryTools,
): { readonly query: ResolvedSubquery; readonly tables: readonly WithTable[] } {
  const beyond = pipes[pipesMax];
  if (beyond !== undefined) {
    const sentence = `A query may have at most ${pipesMax} pipe operators, but this one has ${pipes.length}; move parts of it into WITH tables`;
    throw sqlError('sql.too_complex', sentence, beyond.pos, { expected: `at most ${pipesMax} pipe operators` });
  }
  const tables: WithTable[] = [];
  let context = outer;
  let table = input;
  for (const pipe of pipes) {
    if (pipe.kind === 'PipeWith') {
      const added = tools.withTables(pipe.withEntries, context.environment);
      context = { ...context, environment: added.inner };
      tables.push(...added.tables);
    } else {
      table = new PipeStep(table, context, tools).apply(pipe);
    }
  }
  return { query: queryOf(table, outer.session), tables };
}

/** One operator over one table. */
class PipeStep {
  readonly #table: PipeTable;
  readonly #outer: OuterContext;
  readonly #tools: QueryTools;

  constructor(table: PipeTable, outer: OuterContext, tools: QueryTools) {
    this.#table = table;
    this.#outer = outer;
    this.#tools = tools;
  }

  apply(pipe: Exclude<PipeOperator, { kind: 'PipeWith' }>): PipeTable {
    const table = this.#table;
    const { session } = this.#outer;
    switch (pipe.kind) {
      case 'PipeWhere':
        return this.#where(pipe);
      case 'PipeSelect':
        return this.#select(pipe);
      case 'PipeExtend':
        return this.#extend(pipe.items, pipe.windows, '|> EXTEND');
      case 'PipeWindow':
        for (const item of pipe.items) {
          if (holdsCallNode(item, isWindowed)) continue;
          throw sqlError('sql.type', 'Every item of |> WINDOW requires a window function with OVER (…)', item.pos);
        }
        return this.#extend(pipe.items, [], '|> WINDOW');
      case 'PipeSet':
        return this.#set(pipe.assignments);
      case 'PipeDrop':
        return this.#drop(pipe.columns, pipe.pos);
      case 'PipeRename':
        return this.#rename(pipe.renamings);
      case 'PipeAs':
        return {
          ...table,
          variables: [{ kind: 'table', name: pipe.alias.name, columns: listedColumns(table.variables) }],
        };
      case 'PipeAggregate':
        return this.#aggregate(pipe);
      case 'PipeDistinct':
        for (const { name, expr } of listedColumns(table.variables)) {
          if (isGroupable(expr.type)) continue;
          const sentence = `|> DISTINCT cannot compare column ${quote(name)} of type ${typeName(expr.type)}`;
          throw sqlError('sql.type', sentence, pipe.pos, { token: name });
        }
        return distinctRows(table, session);
      case 'PipeOrderBy':
        return this.#orderBy(pipe.items);
      case 'PipeLimit': {
        const input: ResolvedSubquery = { relation: sorted(table), outputs: [] };
        const { relation } = resolveLimit(pipe, input, this.#context('|> LIMIT'));
        return { ...table, relation, isSorted: table.order.length > 0 };
      }
      case 'PipeJoin':
        return { ...resolveJoin(table, pipe, this.#context('|> JOIN')), order: [], isSorted: false };
      case 'PipeSetOperation': {
        const arms = pipe.arms.map((arm) => ({
          query: this.#tools.query(arm.query, this.#outer.environment, this.#outer.scope),
          pos: arm.pos,
        }));
        const first = { query: queryOf({ ...table, order: [] }, session), pos: pipe.pos };
        return pipeTableOf(combineArms(pipe, [first, ...arms], session), session);
      }
      default:
        return assertNever(pipe);
    }
  }

  /** A context in which expressions see only the enclosing query. */
  #context(clause: string): ExpressionContext {
    return { ...this.#outer, aggregates: null, windows: null, namedWindows: new Map(), clause };
  }

  /** A context in which expressions see a row of the table. */
  #rowContext(
    clause: string,
    windows: WindowCall[] | null,
    namedWindows: readonly NamedWindow[] = [],
  ): ExpressionContext {
    return {
      ...this.#context(clause),
      scope: new NameScope(this.#outer.scope, this.#table.variables),
      windows,
      namedWindows: namedWindowsOf(namedWindows),
    };
  }

  /** The table with added columns for window calls. */
  #windowed(windows: readonly WindowCall[]): PipeTable {
    if (windows.length === 0) return this.#table;
    const relation: Relation = { kind: 'window', input: this.#table.relation, calls: windows };
    return { ...this.#table, relation, isSorted: false };
  }

  #where({ condition: node }: PipeWhere): PipeTable {
    const windows: WindowCall[] = [];
    const where = condition(node, this.#rowContext('|> WHERE', windows));
    const table = this.#windowed(windows);
    const relation: Relation = { kind: 'filter', input: table.relation, condition: where };
    return { ...table, relation, isSorted: false };
  }

  #select(pipe: PipeSelect): PipeTable {
    const rules = {
      clause: '|> SELECT (use |> AGGREGATE for aggregates)',
      hasAggregates: false,
      hasWindows: true,
      order: pipe.isDistinct ? [] : this.#table.order,
    };
    const select = selectNode(pipe, { isDistinct: pipe.isDistinct, as: pipe.as, windows: pipe.windows });
    return pipeTableOf(selectFrom(this.#table, select, [], this.#outer, rules), this.#outer.session);
  }

  #extend(items: readonly SelectItem[], named: readonly NamedWindow[], clause: string): PipeTable {
    const { session } = this.#outer;
    const windows: WindowCall[] = [];
    const context = this.#rowContext(clause, windows, named);
    const added = items.flatMap((item): readonly NamedColumn[] => {
      if (item.kind === 'SelectStar') return expandStar(item, context);
      const name = item.alias?.name ?? impliedName(item.expression);
      return [{ name, expr: resolveExpr(item.expression, context) }];
    });
    const computed = added.map(({ name, expr }): Computed => ({ column: session.columnFor(name, expr), expr }));
    const table = withComputed(this.#windowed(windows), computed, session);
    const columns = computed.map(({ column }) => ({ name: column.name, expr: columnExpr(column) }));
    return { ...table, variables: [...table.variables, { kind: 'table', name: null, columns }] };
  }

  #set(assignments: Extract<PipeOperator, { kind: 'PipeSet' }>['assignments']): PipeTable {
    const { session } = this.#outer;
    const names = assignments.map((assignment) => assignment.column);
    this.#checkColumns('SET', names, true);
    const windows: WindowCall[] = [];
    const context = this.#rowContext('|> SET', windows);
    const columns = listedColumns(this.#table.variables);
    const computed = assignments.map(({ column: { name }, value }) => {
      const expr = resolveExpr(value, context);
      // The column keeps the spelling of its name.
      const listed = named(columns, name)[0]?.name ?? name;
      return { column: session.columnFor(listed, expr), expr };
    });
    const table = withComputed(this.#windowed(windows), computed, session);
    const set = computed.map(({ column }) => column);
    const changed = changeColumns(table.variables, (name) => {
      const column = named(set, name)[0];
      return column === undefined ? undefined : [{ name: column.name, expr: columnExpr(column) }];
    });
    const taken = names.map(({ name }) => name);
    return { ...table, variables: withoutAliases(changed, taken) };
  }

  #drop(columns: readonly Identifier[], pos: Position): PipeTable {
    this.#checkColumns('DROP', columns, false);
    const variables = changeColumns(this.#table.variables, (name) =>
      named(columns, name).length > 0 ? [] : undefined,
    );
    if (listedColumns(variables).length === 0)
      throw sqlError('sql.type', '|> DROP removes every column; keep at least one', pos);
    return { ...this.#table, variables };
  }

  #rename(renamings: Extract<PipeOperator, { kind: 'PipeRename' }>['renamings']): PipeTable {
    const names = renamings.map((renaming) => renaming.column);
    this.#checkColumns('RENAME', names, true);
    const listed = listedColumns(this.#table.variables);
    const renamed = renamings.map(({ column, alias }) => ({ name: column.name, alias }));
    const variables = changeColumns(this.#table.variables, (name) => {
      const [renaming] = named(renamed, name);
      const [column] = named(listed, name);
      if (renaming === undefined || column === undefined) return undefined;
      return [{ name: renaming.alias.name, expr: column.expr }];
    });
    const taken = renamings.map((renaming) => renaming.alias.name);
    return { ...this.#table, variables: withoutAliases(variables, taken) };
  }

  /** Checks that each name occurs once and names a column; with `exactlyOne`, only one column. */
  #checkColumns(word: string, names: readonly Identifier[], exactlyOne: boolean): void {
    const listed = listedColumns(this.#table.variables);
    const allowed = listed.map((column) => column.name).filter((name) => name !== '');
    const seen = new Set<string>();
    for (const name of names) {
      const key = name.name.toLowerCase();
      if (seen.has(key)) {
        throw sqlError('sql.ambiguous_name', `|> ${word} names ${quote(name.name)} twice`, name.pos, {
          token: name.name,
        });
      }
      seen.add(key);
      const found = named(listed, name.name);
      if (found.length > 1 && exactlyOne) {
        const sentence = `${quote(name.name)} is ambiguous: ${found.length} columns have this name, and |> ${word} can change only one`;
        throw sqlError('sql.ambiguous_name', sentence, name.pos, { token: name.name });
      }
      if (found.length > 0) continue;
      const meaning = findName(name, new NameScope(null, this.#table.variables));
      const nearest = nearestName(name.name, allowed);
      const reason =
        meaning === null
          ? 'is not a column of the table before it'
          : meaning.kind === 'table'
            ? 'is a table alias'
            : 'is a member of a column';
      throw sqlError('sql.unknown_name', `|> ${word} changes columns; ${quote(name.name)} ${reason}`, name.pos, {
        token: name.name,
        allowed,
        ...(nearest !== undefined && { nearest }),
      });
    }
  }

  /** Returns the grouping columns, then the aggregates. Directions on items order the result, grouping columns first. */
  #aggregate(pipe: PipeAggregate): PipeTable {
    for (const { item } of pipe.groupBy) {
      if (item.expression.kind === 'IntegerLiteral') {
        throw sqlError('sql.type', 'GROUP BY in |> AGGREGATE accepts expressions, not column numbers', item.pos);
      }
      if (holdsCallNode(item.expression, isAggregate)) {
        throw sqlError(
          'sql.type',
          'GROUP BY in |> AGGREGATE cannot contain an aggregate; write it before GROUP BY',
          item.pos,
        );
      }
    }
    for (const { item } of pipe.items) {
      if (holdsCallNode(item.expression, isAggregate)) continue;
      const sentence =
        'Every item of |> AGGREGATE requires an aggregate function; write grouping expressions after GROUP BY';
      throw sqlError('sql.type', sentence, item.pos);
    }
    const all = [...pipe.groupBy, ...pipe.items];
    const items = pipe.groupBy.map((_, i) => {
      const { pos, end } = pipe.groupBy[i] ?? pipe;
      const expression = { kind: 'IntegerLiteral', value: BigInt(i + 1), isHex: false, pos, end } as const;
      return { kind: 'GroupingExpression', expression, pos, end } as const;
    });
    const { pos, end } = pipe;
    const select = selectNode(
      { items: all.map(({ item }) => item), pos, end },
      { groupBy: { kind: 'GroupBy', isAll: false, items, pos, end } },
    );
    const rules = {
      clause: '|> AGGREGATE (use |> EXTEND for window functions)',
      hasAggregates: true,
      hasWindows: false,
      order: [],
    };
    const table = pipeTableOf(selectFrom(this.#table, select, [], this.#outer, rules), this.#outer.session);
    const listed = listedColumns(table.variables);
    const order = all.flatMap((item, i) => {
      const column = listed[i];
      const isKey = item.direction !== undefined || (pipe.isOrdered && i < pipe.groupBy.length);
      if (column === undefined || !isKey) return [];
      return [resolveOrdering({ ...item, direction: item.direction ?? 'asc' }, column.expr)];
    });
    return { ...table, order };
  }

  #orderBy(items: readonly OrderingItem[]): PipeTable {
    const windows: WindowCall[] = [];
    const context = this.#rowContext('|> ORDER BY', windows);
    const listed = listedColumns(this.#table.variables);
    const order = items.map((item) => {
      if (item.expression.kind !== 'IntegerLiteral') {
        return resolveOrdering(item, resolveExpr(item.expression, context));
      }
      const column = listed[Number(item.expression.value) - 1];
      if (column !== undefined) return resolveOrdering(item, column.expr);
      const sentence = `|> ORDER BY ${item.expression.value} is not a column number; the last column is ${listed.length}`;
      throw sqlError('sql.unknown_name', sentence, item.pos, { token: String(item.expression.value) });
    });
    return { ...this.#windowed(windows), order, isSorted: false };
  }
}

const isWindowed = (call: FunctionCall): boolean => call.over !== undefined;

const isAggregate = (call: FunctionCall): boolean =>
  call.over === undefined && findFunction(call.name.map((part) => part.name).join('.'))?.kind === 'aggregate';

/** A SELECT node with only the given clauses. */
function selectNode(
  { items, pos, end }: Pick<Select, 'items' | 'pos' | 'end'>,
  clauses: Partial<Pick<Select, 'isDistinct' | 'as' | 'windows' | 'groupBy'>>,
): Select {
  return {
    kind: 'Select',
    isDistinct: false,
    as: undefined,
    items,
    from: undefined,
    where: undefined,
    groupBy: undefined,
    having: undefined,
    qualify: undefined,
    windows: [],
    ...clauses,
    pos,
    end,
  };
}
