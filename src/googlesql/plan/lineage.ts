import { parseJsonPath } from '../functions/jsonPath.ts';
import { elementFunctions } from '../resolve/session.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { CallArgument, CallExpr, Column, Expr, Relation, ResolvedQuery } from '../resolve/tree.ts';

/** A column or member of an event, outermost name first: `['metadata', 'request', 'path']`. */
export type MemberPath = readonly string[];

/**
 * For each output column of a query the members of events that its values were made of, through any
 * expression, table and subquery. What only decides whether a value is there (conditions, counts)
 * makes none.
 */
export function outputLineage({
  relation,
  columns,
}: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly (readonly MemberPath[])[] {
  const lineage = new Lineage(relation);
  return columns.map(({ column }) => lineage.ofColumn(column));
}

/** They tell how many values there are, not which. */
const counting: ReadonlySet<string> = new Set(['count', 'countif', 'approx_count_distinct']);

class Lineage {
  /** What a column is made of: members of events themselves, or expressions. */
  readonly #members = new Map<Column, MemberPath>();
  readonly #made = new Map<Column, Expr[]>();
  readonly #known = new Map<Column, readonly MemberPath[]>();

  constructor(root: Relation) {
    walkRelation(root, { relation: (relation) => this.#note(relation) });
  }

  ofColumn(column: Column): readonly MemberPath[] {
    const known = this.#known.get(column);
    if (known !== undefined) return known;
    const member = this.#members.get(column);
    const found = member === undefined ? this.#ofAll(this.#made.get(column) ?? []) : [member];
    this.#known.set(column, found);
    return found;
  }

  #note(relation: Relation): void {
    switch (relation.kind) {
      case 'scan':
        for (const [name, column] of Object.entries(relation.columns)) this.#members.set(column, [name]);
        return;
      case 'project':
        for (const { column, expr } of relation.items) this.#make(column, [expr]);
        return;
      case 'unnestRecord':
        this.#make(relation.alias, [relation.value]);
        return;
      case 'unnestArray':
        this.#make(relation.element, [relation.value]);
        return;
      case 'aggregate':
        for (const { column, expr } of relation.keys) this.#make(column, [expr]);
        for (const { column, fn, args } of relation.aggregates) this.#make(column, valuesOf(fn, args));
        return;
      case 'window':
        for (const { column, fn, args } of relation.calls) this.#make(column, valuesOf(fn, args));
        return;
      case 'setOperation':
        for (const [i, column] of relation.columns.entries()) {
          this.#make(
            column,
            relation.inputs.flatMap((input) => read(input.columns[i])),
          );
        }
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries()) this.#make(column, read(relation.table.columns[i]));
        return;
      default:
    }
  }

  #make(column: Column, exprs: readonly Expr[]): void {
    this.#made.set(column, [...(this.#made.get(column) ?? []), ...exprs]);
  }

  #ofAll(exprs: readonly Expr[]): readonly MemberPath[] {
    const byKey = new Map<string, MemberPath>();
    for (const expr of exprs) for (const path of this.#of(expr)) byKey.set(JSON.stringify(path), path);
    return [...byKey.values()];
  }

  #of(expr: Expr): readonly MemberPath[] {
    // A truth value says something about a value and holds nothing of it.
    if (expr.type.kind === 'BOOL') return [];
    switch (expr.kind) {
      case 'column':
        return this.ofColumn(expr.column);
      case 'pathRead':
        return this.#of(expr.base).map((path) => [...path, ...expr.path]);
      case 'call':
        return this.#ofCall(expr);
      case 'cast':
        return this.#of(expr.value);
      case 'case':
        return this.#ofAll([
          ...expr.branches.map(({ value }) => value),
          ...(expr.otherwise === null ? [] : [expr.otherwise]),
        ]);
      case 'subquery':
        return expr.column === null ? [] : this.ofColumn(expr.column);
      case 'array':
        return this.#ofAll(expr.elements);
      case 'struct':
        return this.#ofAll(expr.values);
      case 'structField':
        return this.#of(expr.value.kind === 'struct' ? (expr.value.values[expr.index] ?? expr.value) : expr.value);
      default:
        return [];
    }
  }

  #ofCall({ fn, args }: CallExpr): readonly MemberPath[] {
    const paths = this.#ofAll(valuesOf(fn, args));
    const names = namesRead(fn, args[1]);
    return names.length === 0 ? paths : paths.map((path) => [...path, ...names]);
  }
}

const read = (column: Column | undefined): readonly Expr[] =>
  column === undefined ? [] : [{ kind: 'column', type: column.type, column }];

function valuesOf(fn: string, args: readonly CallArgument[]): readonly Expr[] {
  if (counting.has(fn)) return [];
  return args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
}

/** The members that a JSON function or a subscript reads below its first argument, where its text says. */
function namesRead(fn: string, argument: CallArgument | undefined): readonly string[] {
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return [];
  if (elementFunctions.has(fn)) return [argument.value];
  if (!fn.startsWith('json_')) return [];
  const path = parseJsonPath(argument.value);
  return path.kind === 'invalid' ? [] : path.steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
}
