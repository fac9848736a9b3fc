import type { Expression, Query, QueryBody, SetOperation, WithEntry } from '../syntax/nodes.ts';
import { INT64, typeName } from '../types.ts';
import { coerce, coercionCost, commonType } from './coercion.ts';
import type { EnvironmentTable, ExpressionContext, ResolvedSubquery, TableEnvironment } from './context.ts';
import { impliedName, resolveExpr } from './expressions.ts';
import { resolveFrom } from './from.ts';
import { columnExpr } from './names.ts';
import { resolveOrdering } from './ordering.ts';
import { Scope } from './scope.ts';
import { resolveSelect } from './select.ts';
import type { ResolveSession } from './session.ts';
import { sqlError } from './sqlError.ts';
import { expandStar } from './star.ts';
import type { Expr, Relation, SortKey, WithTable } from './tree.ts';

const noScope = new Scope(null, []);

/** Resolves whole queries: WITH, set operations, ORDER BY, LIMIT. One per compilation. */
export class QueryResolver {
  readonly #session: ResolveSession;

  constructor(session: ResolveSession) {
    this.#session = session;
  }

  /** `parent` is the scope of an enclosing query, for correlated subqueries. */
  resolve(query: Query, environment: TableEnvironment, parent: Scope): ResolvedSubquery {
    if (query.pipes.length > 0) {
      throw sqlError(
        'sql.unsupported',
        'Pipe syntax (|>) is not available yet; write SELECT … FROM …',
        query.pipes[0]?.pos ?? query.pos,
      );
    }
    const { inner, tables } = this.environmentOf(query.withEntries, environment);
    const body = this.#resolveOrdered(query, inner, parent);
    const limited = this.#limit(query, body, this.#context(inner, parent));
    if (tables.length === 0) return limited;
    return { ...limited, relation: { kind: 'with', tables, body: limited.relation } };
  }

  /** The tables of WITH entries; each sees the ones before it. */
  environmentOf(entries: readonly WithEntry[], environment: TableEnvironment) {
    let inner = environment;
    const tables: WithTable[] = [];
    const seen = new Set<string>();
    for (const entry of entries) {
      const key = entry.name.name.toLowerCase();
      if (seen.has(key)) {
        throw sqlError('sql.ambiguous_name', `WITH names \`${entry.name.name}\` twice`, entry.pos, {
          token: entry.name.name,
        });
      }
      seen.add(key);
      // Its rows are the same wherever it is read: no name of an enclosing query reaches into it (GoogleSQL, WITH).
      const { relation, outputs } = this.resolve(entry.query, inner, noScope);
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
      };
      tables.push(made.table);
      inner = { parent: inner, tables: new Map([[key, made]]) };
    }
    return { inner, tables };
  }

  #context(environment: TableEnvironment, parent: Scope): ExpressionContext {
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

  #resolveOrdered(query: Query, environment: TableEnvironment, parent: Scope): ResolvedSubquery {
    const context = this.#context(environment, parent);
    if (query.body.kind === 'Select') return resolveSelect(query.body, query.orderBy, context);
    const body = this.#resolveBody(query.body, environment, parent);
    if (query.orderBy.length === 0) return body;
    const columns = body.outputs.map(({ name, column }) => ({ name, column }));
    const scope = new Scope(parent, [{ kind: 'table', name: null, columns }]);
    const keys = query.orderBy.map((item): SortKey => {
      if (item.expression.kind !== 'IntegerLiteral') {
        return resolveOrdering(item, resolveExpr(item.expression, { ...context, scope, clause: 'ORDER BY' }));
      }
      const output = body.outputs[Number(item.expression.value) - 1];
      if (output === undefined) {
        throw sqlError(
          'sql.unknown_name',
          `ORDER BY ${item.expression.value} names no column; there are ${columns.length}`,
          item.pos,
        );
      }
      return resolveOrdering(item, columnExpr(output.column));
    });
    return { ...body, relation: { kind: 'sort', input: body.relation, keys } };
  }

  #resolveBody(body: QueryBody, environment: TableEnvironment, parent: Scope): ResolvedSubquery {
    switch (body.kind) {
      case 'Select':
        return resolveSelect(body, [], this.#context(environment, parent));
      case 'ParenthesizedQuery':
        return this.resolve(body.query, environment, parent);
      case 'SetOperation':
        return this.#setOperation(body, environment, parent);
      case 'FromQuery': {
        const context = this.#context(environment, parent);
        const from = resolveFrom(body.from, context, null);
        const scope = new Scope(parent, from.variables, from.merged);
        const star = {
          kind: 'SelectStar',
          qualifier: undefined,
          except: [],
          replace: [],
          pos: body.pos,
          end: body.end,
        } as const;
        const items = expandStar(star, { ...context, scope });
        const outputs = items.map(({ name, expr }) => ({ name, column: this.#session.columnFor(name, expr), expr }));
        const relation: Relation = {
          kind: 'project',
          input: from.relation,
          items: outputs.map(({ column, expr }) => ({ column, expr })),
        };
        return { relation, outputs: outputs.map(({ name, column }) => ({ name, column })) };
      }
    }
  }

  /** Arms of one width; each column takes the common type, NULLs that of the other arms. */
  #setOperation(operation: SetOperation, environment: TableEnvironment, parent: Scope): ResolvedSubquery {
    const arms = operation.arms.map((arm) => this.#resolveBody(arm, environment, parent));
    const [first] = arms;
    if (first === undefined) throw new Error('a set operation without arms');
    const misfit = arms.findIndex((arm) => arm.outputs.length !== first.outputs.length);
    if (misfit >= 0) {
      const pos = operation.arms[misfit]?.pos ?? operation.pos;
      throw sqlError(
        'sql.type',
        `Arm ${misfit + 1} has ${arms[misfit]?.outputs.length} columns, the first has ${first.outputs.length}`,
        pos,
      );
    }
    const types = first.outputs.map((output, i) => {
      const exprs = arms.map((arm) => armExpr(arm, i));
      const type = commonType(exprs);
      if (type === null) {
        const names = exprs.map((expr) => typeName(expr.type)).join(', ');
        throw sqlError(
          'sql.type',
          `Column ${i + 1} (${output.name}) has types without a common one: ${names}`,
          operation.pos,
        );
      }
      return type.kind === 'NULL' ? INT64 : type;
    });
    const inputs = arms.map((arm) => {
      const items = types.map((type, i) => {
        const expr = coerce(armExpr(arm, i), type, operation.pos);
        return { column: this.#session.columnFor(arm.outputs[i]?.name ?? '', expr), expr };
      });
      const relation: Relation = { kind: 'project', input: arm.relation, items };
      return { relation, columns: items.map((item) => item.column) };
    });
    const outputs = first.outputs.map((output, i) => {
      const source = inputs[0]?.columns[i];
      const column =
        source === undefined
          ? this.#session.newColumn(output.name, types[i] ?? INT64)
          : this.#session.columnFor(output.name, columnExpr(source));
      return { name: output.name, column };
    });
    const relation: Relation = {
      kind: 'setOperation',
      op: operation.operator,
      all: operation.quantifier === 'all',
      inputs,
      columns: outputs.map((output) => output.column),
    };
    return { relation, outputs };
  }

  #limit(query: Query, body: ResolvedSubquery, context: ExpressionContext): ResolvedSubquery {
    if (query.limit === undefined) return body;
    const limit = this.#count(query.limit, 'LIMIT', context);
    const offset = query.offset === undefined ? null : this.#count(query.offset, 'OFFSET', context);
    return { ...body, relation: { kind: 'limit', input: body.relation, limit, offset } };
  }

  #count(node: Expression, clause: string, context: ExpressionContext): Expr {
    const expr = resolveExpr(node, { ...context, clause });
    const isCount = expr.kind === 'literal' && typeof expr.value === 'bigint' && expr.value >= 0n;
    if (isCount || (expr.kind === 'parameter' && coercionCost(expr, INT64) === 0)) return expr;
    throw sqlError('sql.type', `${clause} must be a whole number from 0, or an int64 parameter`, node.pos, {
      token: impliedName(node),
      expected: 'INT64',
    });
  }
}

/** The value of an arm's column; a bare NULL counts as NULL whatever column holds it. */
function armExpr(arm: ResolvedSubquery, index: number): Expr {
  const output = arm.outputs[index];
  if (output === undefined) throw new Error('an arm of a set operation has too few columns');
  if (output.column.type.kind === 'NULL') return { kind: 'literal', type: { kind: 'NULL' }, value: null };
  const item =
    arm.relation.kind === 'project' ? arm.relation.items.find((each) => each.column === output.column) : undefined;
  // A literal of the select list can take the type of the other arms as it could anywhere else.
  return item?.expr.kind === 'literal' ? item.expr : columnExpr(output.column);
}

/** A relation that produces exactly the outputs, in order. */
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

/** A column of a bare NULL is an INT64 to whoever reads it (GoogleSQL). */
function typed(expr: Expr): Expr {
  return expr.type.kind === 'NULL' ? { kind: 'literal', type: INT64, value: null } : expr;
}
