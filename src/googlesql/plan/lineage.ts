import type { FunctionName } from '../functions/catalogue.ts';
import { parseJsonPath } from '../functions/jsonPath.ts';
import { passing } from '../functions/passing.ts';
import { elementFunctions } from '../resolve/session.ts';
import { walkRelation } from '../resolve/traverse.ts';
import type { CallArgument, Column, Expr, Relation, ResolvedQuery } from '../resolve/tree.ts';

/** A column or member of an event, outermost name first: `['metadata', 'request', 'path']`. */
export type MemberPath = readonly string[];

/**
 * For each output column, the members of events that its values are computed from, through expressions, tables and
 * subqueries. Members that only determine whether a value is there (conditions, counts) do not count.
 */
export function outputLineage({
  relation,
  columns,
}: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly (readonly MemberPath[])[] {
  const lineage = new Lineage(relation);
  return columns.map(({ column }) => lineage.ofColumn(column));
}

/** For each output column, the most names that the query itself puts above a member in its values (STRUCT, JSON_OBJECT). */
export function ownNames({ relation, columns }: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly number[] {
  const lineage = new Lineage(relation);
  return columns.map(({ column }) => lineage.ownNames(column));
}

/** For each output column, whether a value may be a parameter or computed from one. */
export function holdParameters({ relation, columns }: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly boolean[] {
  const lineage = new Lineage(relation);
  return columns.map(({ column }) => lineage.holds(column, isParameter));
}

/** For each output column, whether objects in it may be parsed from a text, so that member names are also texts. */
export function holdReadTexts({ relation, columns }: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly boolean[] {
  const lineage = new Lineage(relation);
  return columns.map(({ column }) => lineage.holds(column, readsText));
}

type Test = (expr: Expr) => boolean;

const isParameter: Test = ({ kind }) => kind === 'parameter';

/** Functions that parse JSON. */
const readsText: Test = (expr) => expr.kind === 'call' && (expr.fn === 'parse_json' || expr.fn === '$json_in_text');

/** A truth value contains nothing of the values that it was computed from. */
const isTruth = ({ type }: Expr): boolean => type.kind === 'BOOL';

/** The name of a member that is read; null if it is unknown and may be any name. */
type NameRead = string | null;

/** Finds the members of events that columns and expressions of a query are computed from. */
export class Lineage {
  /** The member of an event that a column is, or the expressions that it is computed from. */
  readonly #members = new Map<Column, MemberPath>();
  readonly #made = new Map<Column, Expr[]>();
  readonly #ownNames = new Map<Column, number>();
  readonly #held = new Map<Test, Map<Column, boolean>>();
  /** Known results, by column and the names read below it. */
  readonly #known = new Map<Column, Map<string, readonly MemberPath[]>>();
  readonly #holdsNothing: (expr: Expr) => boolean;

  /** `holdsNothing`: expressions that the lineage does not follow. */
  constructor(root: Relation, holdsNothing: (expr: Expr) => boolean = isTruth) {
    this.#holdsNothing = holdsNothing;
    walkRelation(root, { relation: (relation) => this.#note(relation) });
  }

  /** The expressions that a column is computed from; none for a column of events. */
  madeOf(column: Column): readonly Expr[] {
    return this.#made.get(column) ?? [];
  }

  ofColumn(column: Column): readonly MemberPath[] {
    return this.#belowColumn(column, []);
  }

  of(expr: Expr): readonly MemberPath[] {
    return this.#below(expr, []);
  }

  /** The deepest nesting of names that the query itself gives in a column's values. */
  ownNames(column: Column): number {
    const known = this.#ownNames.get(column);
    if (known !== undefined) return known;
    const found = Math.max(0, ...this.madeOf(column).map((expr) => this.#ownNamesOf(expr)));
    this.#ownNames.set(column, found);
    return found;
  }

  /** Whether a column may be computed from an expression that passes the test. */
  holds(column: Column, test: Test): boolean {
    const ofTest = this.#held.get(test) ?? new Map<Column, boolean>();
    this.#held.set(test, ofTest);
    const known = ofTest.get(column);
    if (known !== undefined) return known;
    const found = this.madeOf(column).some((expr) => this.#isOf(expr, test));
    ofTest.set(column, found);
    return found;
  }

  #isOf(expr: Expr, test: Test): boolean {
    if (this.#holdsNothing(expr)) return false;
    if (expr.kind === 'column') return this.holds(expr.column, test);
    return test(expr) || valuesIn(expr).some((value) => this.#isOf(value, test));
  }

  #ownNamesOf(expr: Expr): number {
    if (expr.kind === 'column') return this.ownNames(expr.column);
    const named = namedValues(expr);
    const values = named === null ? valuesIn(expr) : named.map(({ value }) => value);
    return Math.max(0, ...values.map((value) => this.#ownNamesOf(value))) + (named === null ? 0 : 1);
  }

  #belowColumn(column: Column, names: readonly NameRead[]): readonly MemberPath[] {
    const key = JSON.stringify(names);
    const ofColumn = this.#known.get(column) ?? new Map<string, readonly MemberPath[]>();
    this.#known.set(column, ofColumn);
    const known = ofColumn.get(key);
    if (known !== undefined) return known;
    const member = this.#members.get(column);
    const found =
      member === undefined
        ? this.#belowAll(this.#made.get(column) ?? [], names)
        : [[...member, ...names.flatMap((name) => (name === null ? [] : [name]))]];
    ofColumn.set(key, found);
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
        for (const { column, fn, args } of relation.aggregates) {
          const values = valuesOf(fn, args);
          // The elements of APPROX_TOP_COUNT hold the values under a field name.
          const isNamed = column.type.kind === 'ARRAY' && fn === 'approx_top_count';
          this.#make(column, isNamed ? [{ kind: 'struct', type: column.type.element, values }] : values);
        }
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

  #belowAll(exprs: readonly Expr[], names: readonly NameRead[]): readonly MemberPath[] {
    const byKey = new Map<string, MemberPath>();
    for (const expr of exprs) for (const path of this.#below(expr, names)) byKey.set(JSON.stringify(path), path);
    return [...byKey.values()];
  }

  /** The members of events in the value of an expression, after reading `names` in it, outermost first. */
  #below(expr: Expr, names: readonly NameRead[]): readonly MemberPath[] {
    if (this.#holdsNothing(expr)) return [];
    if (expr.kind === 'column') return this.#belowColumn(expr.column, names);
    const named = namedValues(expr);
    if (named !== null) return this.#belowNamed(named, names);
    return this.#belowAll(valuesIn(expr), [...namesRead(expr), ...names]);
  }

  /** A name that the query gave to a value is not a member of an event; reading it reads that value. */
  #belowNamed(named: readonly NamedValue[], [first = null, ...below]: readonly NameRead[]): readonly MemberPath[] {
    const fitting = named.filter(({ name }) => first === null || name === null || name === first);
    const found = fitting.length === 0 ? named : fitting;
    return this.#belowAll(
      found.map(({ value }) => value),
      below,
    );
  }
}

interface NamedValue {
  /** Null if a parameter gives the name. */
  readonly name: NameRead;
  readonly value: Expr;
}

/** The values of a STRUCT or JSON_OBJECT with their names; null for any other expression. */
function namedValues(expr: Expr): readonly NamedValue[] | null {
  if (expr.kind === 'struct') {
    const { type, values } = expr;
    return values.map((value, i) => ({ name: (type.kind === 'STRUCT' ? type.fields[i]?.name : null) ?? null, value }));
  }
  if (expr.kind !== 'call' || expr.fn !== 'json_object') return null;
  const [first, second] = expr.args;
  // With an array of names and an array of values, any value may have any name.
  if (first?.kind !== 'part' && first?.type.kind === 'ARRAY' && second !== undefined && second.kind !== 'part')
    return [{ name: null, value: second }];
  return expr.args.flatMap((value, i): readonly NamedValue[] => {
    const name = expr.args[i - 1];
    if (i % 2 === 0 || value.kind === 'part') return [];
    return [{ name: name?.kind === 'literal' && typeof name.value === 'string' ? name.value : null, value }];
  });
}

/** The direct operands that an expression is computed from; none for a column, see `madeOf`. */
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

/** The names of the members that an expression reads in its operand, if the query gives them. */
function namesRead(expr: Expr): readonly NameRead[] {
  if (expr.kind === 'pathRead') return expr.path;
  if (expr.kind === 'structField') return expr.value.kind === 'struct' ? [] : [null];
  if (expr.kind !== 'call' || passing[expr.fn] !== 'member') return [];
  const [, argument] = expr.args;
  if (argument?.kind !== 'literal' || typeof argument.value !== 'string') return [];
  if (elementFunctions.has(expr.fn)) return [argument.value];
  const path = parseJsonPath(argument.value, 'legacy');
  return path.kind === 'invalid' ? [] : path.steps.flatMap((step) => (step.kind === 'member' ? [step.name] : []));
}
