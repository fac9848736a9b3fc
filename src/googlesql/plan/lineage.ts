import type { FunctionName } from '../functions/catalogue.ts';
import { parseJsonPath } from '../functions/jsonPath.ts';
import { passing } from '../functions/passing.ts';
import { elementFunctions } from '../resolve/session.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { CallArgument, Column, Expr, Relation, ResolvedQuery } from '../resolve/tree.ts';

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

/** A truth value says something about a value and holds nothing of it. */
const isTruth = ({ type }: Expr): boolean => type.kind === 'BOOL';

/** The members of events that the values of a query's columns and expressions are made of. */
export class Lineage {
  /** What a column is made of: members of events themselves, or expressions. */
  readonly #members = new Map<Column, MemberPath>();
  readonly #made = new Map<Column, Expr[]>();
  readonly #known = new Map<Column, readonly MemberPath[]>();
  readonly #holdsNothing: (expr: Expr) => boolean;

  /** `holdsNothing`: of which expressions nothing is followed. */
  constructor(root: Relation, holdsNothing: (expr: Expr) => boolean = isTruth) {
    this.#holdsNothing = holdsNothing;
    walkRelation(root, { relation: (relation) => this.#note(relation) });
  }

  /** The expressions that a column's values are values of; none where it is a column of events. */
  madeOf(column: Column): readonly Expr[] {
    return this.#made.get(column) ?? [];
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
    for (const expr of exprs) for (const path of this.of(expr)) byKey.set(JSON.stringify(path), path);
    return [...byKey.values()];
  }

  of(expr: Expr): readonly MemberPath[] {
    if (this.#holdsNothing(expr)) return [];
    if (expr.kind === 'column') return this.ofColumn(expr.column);
    const paths = this.#ofAll(valuesIn(expr));
    const names = namesRead(expr);
    return names.length === 0 ? paths : paths.map((path) => [...path, ...names]);
  }
}

/** The direct operands whose values go into the value of an expression; of a column none, as `madeOf` has them. */
export function valuesIn(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'pathRead':
      return [expr.base];
    case 'call':
      return valuesOf(expr.fn, expr.args);
    case 'cast':
      return [expr.value];
    case 'case':
      return [...expr.branches.map(({ value }) => value), ...(expr.otherwise === null ? [] : [expr.otherwise])];
    case 'subquery':
      return expr.column === null ? [] : read(expr.column);
    case 'array':
      return expr.elements;
    case 'struct':
      return expr.values;
    case 'structField':
      return [expr.value.kind === 'struct' ? (expr.value.values[expr.index] ?? expr.value) : expr.value];
    default:
      return [];
  }
}

const read = (column: Column | undefined): readonly Expr[] =>
  column === undefined ? [] : [{ kind: 'column', type: column.type, column }];

function valuesOf(fn: FunctionName, args: readonly CallArgument[]): readonly Expr[] {
  if (passing[fn] === 'nothing') return [];
  return args.flatMap((arg) => (arg.kind === 'part' ? [] : [arg]));
}

/** The members that an expression reads below its operand, where its text says. */
function namesRead(expr: Expr): readonly string[] {
  if (expr.kind === 'pathRead') return expr.path;
  if (expr.kind !== 'call' || passing[expr.fn] !== 'member') return [];
  const [, argument] = expr.args;
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return [];
  if (elementFunctions.has(expr.fn)) return [argument.value];
  const path = parseJsonPath(argument.value);
  return path.kind === 'invalid' ? [] : path.steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
}
