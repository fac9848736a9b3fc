import { outputColumns, walkRelation } from '../resolve/traverse.ts';
import type { Column, Expr, Relation } from '../resolve/tree.ts';
import { conjunctsOf } from './rowFacts.ts';

/**
 * For columns that a query makes itself (numbers of GENERATE_ARRAY, constants, counts), the parameters by which conditions
 * choose their rows. `(select n from unnest(generate_array(1, 9)) as n where n = @p)` reveals `@p`, and so does COUNT(*) with
 * `n <= @p`. Conditions on columns of events choose events and do not count.
 */
export function chosenColumns(root: Relation): ReadonlyMap<Column, ReadonlySet<string>> {
  return new Choices(root).chosen;
}

/** What determines an expression, directly and through columns. */
interface Reach {
  readonly parameters: ReadonlySet<string>;
  /** Whether it reads a column that the query makes itself. */
  readonly isOwn: boolean;
}

class Choices {
  readonly chosen = new Map<Column, ReadonlySet<string>>();
  readonly #ofEvents = new Set<Column>();
  readonly #sources = new Map<Column, readonly Expr[]>();
  readonly #reach = new Map<Column, Reach>();
  readonly #below = new Map<Relation, ReadonlySet<string>>();

  constructor(root: Relation) {
    walkRelation(root, { relation: (relation) => this.#note(relation) });
    walkRelation(root, { relation: (relation) => void this.#choose(relation) });
  }

  #note(relation: Relation): void {
    switch (relation.kind) {
      case 'scan':
        for (const column of Object.values(relation.columns)) this.#ofEvents.add(column);
        return;
      case 'project':
        for (const { column, expr } of relation.items) this.#sources.set(column, [expr]);
        return;
      case 'unnestRecord':
        this.#sources.set(relation.alias, [relation.value]);
        return;
      case 'aggregate':
        for (const { column, expr } of relation.keys) this.#sources.set(column, [expr]);
        for (const { column, args } of relation.aggregates) this.#sources.set(column, args.flatMap(expressionOf));
        return;
      case 'window':
        for (const { column, args } of relation.calls) this.#sources.set(column, args.flatMap(expressionOf));
        return;
      case 'setOperation':
        for (const [i, column] of relation.columns.entries()) {
          this.#sources.set(
            column,
            relation.inputs.flatMap((input) => read(input.columns[i])),
          );
        }
        return;
      case 'withReference':
        for (const [i, column] of relation.columns.entries())
          this.#sources.set(column, read(relation.table.columns[i]));
        return;
      default:
    }
  }

  /** The parameters that choose rows of a relation. Records them for those of its columns that the query makes itself. */
  #choose(relation: Relation): ReadonlySet<string> {
    const known = this.#below.get(relation);
    if (known !== undefined) return known;
    const here = conditionsOf(relation).flatMap((condition) => {
      const { parameters, isOwn } = this.#reachOf(condition);
      return isOwn ? [...parameters] : [];
    });
    const found = new Set([...inputsOf(relation).flatMap((input) => [...this.#choose(input)]), ...here]);
    this.#below.set(relation, found);
    if (found.size === 0) return found;
    for (const column of outputColumns(relation)) {
      if (!this.#isOwn(column)) continue;
      this.chosen.set(column, new Set([...(this.chosen.get(column) ?? []), ...found]));
    }
    return found;
  }

  #isOwn(column: Column): boolean {
    return this.#reachOfColumn(column).isOwn;
  }

  #reachOfColumn(column: Column): Reach {
    if (this.#ofEvents.has(column)) return { parameters: new Set(), isOwn: false };
    const known = this.#reach.get(column);
    if (known !== undefined) return known;
    const sources = this.#sources.get(column) ?? [];
    const all = sources.map((source) => ({ ...this.#reachOf(source), isConstant: !holdsColumn(source) }));
    const reach = {
      parameters: new Set(all.flatMap(({ parameters }) => [...parameters])),
      isOwn: all.length === 0 || all.some(({ isOwn, isConstant }) => isOwn || isConstant),
    };
    this.#reach.set(column, reach);
    return reach;
  }

  #reachOf(expr: Expr): Reach {
    const parameters = new Set<string>();
    let isOwn = false;
    visit(expr, (each) => {
      if (each.kind === 'parameter') parameters.add(each.name);
      if (each.kind !== 'column') return;
      const reach = this.#reachOfColumn(each.column);
      for (const name of reach.parameters) parameters.add(name);
      isOwn ||= reach.isOwn;
    });
    return { parameters, isOwn };
  }
}

/** Calls `found` for an expression and every expression in it, including subqueries. */
const visit = (expr: Expr, found: (expr: Expr) => void): void =>
  walkRelation({ kind: 'filter', input: { kind: 'oneRow' }, condition: expr }, { expr: found });

function holdsColumn(expr: Expr): boolean {
  let holds = false;
  visit(expr, ({ kind }) => {
    holds ||= kind === 'column';
  });
  return holds;
}

const expressionOf = (arg: Expr | { readonly kind: 'part' }): readonly Expr[] => (arg.kind === 'part' ? [] : [arg]);

const read = (column: Column | undefined): readonly Expr[] =>
  column === undefined ? [] : [{ kind: 'column', type: column.type, column }];

function conditionsOf(relation: Relation): readonly Expr[] {
  if (relation.kind === 'filter') return conjunctsOf(relation.condition);
  const isJoining = relation.kind === 'join' || relation.kind === 'unnestArray' || relation.kind === 'unnestRecord';
  return isJoining && relation.on !== null ? conjunctsOf(relation.on) : [];
}

/** The input relations of a relation. */
function inputsOf(relation: Relation): readonly Relation[] {
  switch (relation.kind) {
    case 'scan':
    case 'oneRow':
      return [];
    case 'join':
      return [relation.left, relation.right];
    case 'setOperation':
      return relation.inputs.map((input) => input.relation);
    case 'with':
      return [relation.body];
    case 'withReference':
      return [relation.table.relation];
    default:
      return [relation.input];
  }
}
