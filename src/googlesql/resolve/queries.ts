import type { FromQuery, OrderingItem, Query, QueryBody, WithEntry } from '../syntax/nodes.ts';
import { INT64 } from '../types.ts';
import type { EnvironmentTable, ExpressionContext, ResolvedSubquery, TableEnvironment } from './context.ts';
import { resolveExpr } from './expressions.ts';
import { resolveFrom } from './from.ts';
import { resolveLimit } from './limit.ts';
import { NameScope } from './nameScope.ts';
import { columnExpr } from './names.ts';
import { resolveOrdering } from './ordering.ts';
import { resolvePipes } from './pipes.ts';
import { type PipeTable, pipeTableOf } from './pipeTable.ts';
import { planTooHigh } from './planTooHigh.ts';
import { resolveSelect } from './select.ts';
import type { ResolveSession } from './session.ts';
import { combineArms } from './setOperations.ts';
import { sqlError } from './sqlError.ts';
import type { Expr, Relation, SortKey, WithTable } from './tree.ts';
import { measureTable } from './treeMeasure.ts';

const noScope = new NameScope(null, []);

/** Resolves whole queries: WITH, set operations, ORDER BY, LIMIT. One per compilation. */
export class QueryResolver {
  readonly #session: ResolveSession;

  constructor(session: ResolveSession) {
    this.#session = session;
  }

  /** `parent` is the scope of an enclosing query, for correlated subqueries. */
  resolve(query: Query, environment: TableEnvironment, parent: NameScope): ResolvedSubquery {
    const { inner, tables } = this.environmentOf(query.withEntries, environment);
    const context = this.#context(inner, parent);
    let input: PipeTable;
    if (query.body.kind === 'FromQuery') {
      input = { ...resolveFrom(query.body.from, context, null), order: [], isSorted: false };
    } else {
      const limited = resolveLimit(query, this.#resolveOrdered(query.body, query.orderBy, inner, parent), context);
      if (query.pipes.length === 0) return within(tables, limited);
      input = pipeTableOf(limited, this.#session);
    }
    const piped = resolvePipes(query.pipes, input, context, {
      query: (below, environmentOfIt, scope) => this.resolve(below, environmentOfIt, scope),
      withTables: (entries, outer) => this.environmentOf(entries, outer),
    });
    return within([...tables, ...piped.tables], piped.query);
  }

  /** The tables of WITH entries. Each one sees those before it. */
  environmentOf(entries: readonly WithEntry[], environment: TableEnvironment) {
    let inner = environment;
    const tables: WithTable[] = [];
    const seen = new Set<string>();
    for (const entry of entries) {
      const key = entry.name.name.toLowerCase();
      if (seen.has(key)) {
        throw sqlError('sql.ambiguous_name', `WITH defines \`${entry.name.name}\` twice`, entry.pos, {
          token: entry.name.name,
        });
      }
      seen.add(key);
      // A WITH table has the same rows wherever it is read, so it sees no name of an enclosing query (GoogleSQL, WITH).
      const { relation, outputs, isValueTable } = this.resolve(entry.query, inner, noScope);
      const table: WithTable = {
        id: this.#session.newId(),
        name: entry.name.name,
        relation: exactly(relation, outputs, this.#session),
        columns: [],
      };
      const columns = table.relation.kind === 'project' ? table.relation.items.map((item) => item.column) : [];
      const made: EnvironmentTable = {
        table: { ...table, columns },
        columnNames: outputs.map((output) => output.name),
        isValueTable: isValueTable ?? false,
      };
      const { limits } = this.#session;
      if (measureTable(made.table.relation).height > limits.planHeightMax) throw planTooHigh(limits);
      tables.push(made.table);
      inner = { parent: inner, tables: new Map([[key, made]]) };
    }
    return { inner, tables };
  }

  #context(environment: TableEnvironment, parent: NameScope): ExpressionContext {
    return {
      session: this.#session,
      environment,
      scope: parent,
      aggregates: null,
      windows: null,
      namedWindows: new Map(),
      clause: 'a query',
      resolveExpr,
      resolveQuery: (query, inner, scope) => this.resolve(query, inner, scope),
    };
  }

  #resolveOrdered(
    node: Exclude<QueryBody, FromQuery>,
    orderBy: readonly OrderingItem[],
    environment: TableEnvironment,
    parent: NameScope,
  ): ResolvedSubquery {
    const context = this.#context(environment, parent);
    if (node.kind === 'Select') return resolveSelect(node, orderBy, context);
    const body = this.#resolveBody(node, environment, parent);
    if (orderBy.length === 0) return body;
    const columns = body.outputs.map(({ name, column }) => ({ name, expr: columnExpr(column) }));
    const scope = new NameScope(parent, [{ kind: 'table', name: null, columns }]);
    const keys = orderBy.map((item): SortKey => {
      if (item.expression.kind !== 'IntegerLiteral') {
        return resolveOrdering(item, resolveExpr(item.expression, { ...context, scope, clause: 'ORDER BY' }));
      }
      const output = body.outputs[Number(item.expression.value) - 1];
      if (output === undefined) {
        throw sqlError(
          'sql.unknown_name',
          `ORDER BY ${item.expression.value} is not a column number; the last column is ${columns.length}`,
          item.pos,
        );
      }
      return resolveOrdering(item, columnExpr(output.column));
    });
    return { ...body, relation: { kind: 'sort', input: body.relation, keys } };
  }

  #resolveBody(
    body: Exclude<QueryBody, FromQuery>,
    environment: TableEnvironment,
    parent: NameScope,
  ): ResolvedSubquery {
    switch (body.kind) {
      case 'Select':
        return resolveSelect(body, [], this.#context(environment, parent));
      case 'ParenthesizedQuery':
        return this.resolve(body.query, environment, parent);
      case 'SetOperation': {
        const arms = body.arms.map((arm) => ({ query: this.#resolveBody(arm, environment, parent), pos: arm.pos }));
        return combineArms(body, arms, this.#session);
      }
    }
  }
}

function within(tables: readonly WithTable[], query: ResolvedSubquery): ResolvedSubquery {
  return tables.length === 0 ? query : { ...query, relation: { kind: 'with', tables, body: query.relation } };
}

/** Projects the relation to exactly the outputs, in order. */
function exactly(relation: Relation, outputs: ResolvedSubquery['outputs'], session: ResolveSession): Relation {
  return {
    kind: 'project',
    input: relation,
    items: outputs.map(({ name, column }) => {
      const expr = typed(columnExpr(column));
      return { column: session.columnFor(name, expr), expr };
    }),
  };
}

/** Gives a column that is a NULL literal the type INT64 (GoogleSQL). */
function typed(expr: Expr): Expr {
  return expr.type.kind === 'NULL' ? { kind: 'literal', type: INT64, value: null } : expr;
}
