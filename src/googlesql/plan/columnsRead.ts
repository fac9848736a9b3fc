import { elementFunctions } from '../resolve/session.ts';
import { mapExpr, mapRelation, outputColumns } from '../resolve/traverse.ts';
import type { Column, Computed, Expr, Relation, ResolvedQuery, WithTable } from '../resolve/tree.ts';

/** A table or source, and the columns that a query reads: `timestamp`, or `metadata.request.path` for a single member. */
export interface ColumnsRead {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The tables of the outermost WITH that the query reads; for a caller query, those of the endpoint. */
export function tablesRead({ relation, columns }: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly ColumnsRead[] {
  if (relation.kind !== 'with') return [];
  return new Reads(new Set(relation.tables.map(({ id }) => id))).of(relation.body, columns);
}

/** The members of those tables that the query reads: a table, a column, and the names below it. */
export function membersRead({ relation, columns }: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly {
  readonly table: string;
  readonly path: readonly string[];
}[] {
  if (relation.kind !== 'with') return [];
  const reads = new Reads(new Set(relation.tables.map(({ id }) => id)));
  reads.of(relation.body, columns);
  return reads.paths().filter(({ path }) => path.length > 1);
}

/** The sources whose events the query reads, directly or through tables. */
export function sourcesRead({
  relation,
  columns,
}: Pick<ResolvedQuery, 'relation' | 'columns'>): readonly ColumnsRead[] {
  return new Reads(null).of(relation, columns);
}

/** The origin of an unchanged value: a table, and the path in it. */
interface Origin {
  readonly table: string;
  readonly path: readonly string[];
}

/**
 * One walk over a query, inputs first. Passing a value on is not a read; the column gets an origin. Using the value is a
 * read.
 */
class Reads {
  /** IDs of the tables whose reads are collected; null for the sources. A table with an optimization barrier keeps its ID. */
  readonly #tables: ReadonlySet<number> | null;
  readonly #origins = new Map<Column, Origin>();
  readonly #found = new Map<string, Map<string, readonly string[]>>();
  readonly #unnested: Origin[] = [];
  readonly #visited = new Set<WithTable>();

  constructor(tables: ReadonlySet<number> | null) {
    this.#tables = tables;
  }

  of(relation: Relation, outputs: ResolvedQuery['columns']): readonly ColumnsRead[] {
    this.#visit(relation);
    for (const { column } of outputs) this.#readColumn(column);
    // A record that was unnested still determines rows, even if no value of it is used.
    for (const origin of this.#unnested) {
      const path = origin.path.join('.');
      const below = [...(this.#found.get(origin.table)?.keys() ?? [])].some((each) => each.startsWith(`${path}.`));
      if (!below) this.#record(origin);
    }
    return [...this.#found].map(([name, columns]) => ({ name, columns: [...columns.keys()].sort() }));
  }

  paths(): readonly Origin[] {
    return [...this.#found].flatMap(([table, columns]) => [...columns.values()].map((path) => ({ table, path })));
  }

  #visit(relation: Relation): void {
    switch (relation.kind) {
      case 'scan':
        if (this.#tables === null) this.#begin(relation.source.name, Object.values(relation.columns));
        return;
      case 'withReference':
        this.#visitReference(relation);
        return;
      case 'with':
        // A table is visited when it is referenced.
        this.#visit(relation.body);
        return;
      case 'project':
        this.#visit(relation.input);
        this.#pass(relation.items);
        return;
      case 'unnestRecord':
      case 'unnestArray': {
        this.#visit(relation.input);
        const origin = this.#originOf(relation.value);
        if (origin === null) this.#read(relation.value);
        else {
          this.#unnested.push(origin);
          this.#origins.set(relation.kind === 'unnestRecord' ? relation.alias : relation.element, origin);
        }
        if (relation.on !== null) this.#read(relation.on);
        return;
      }
      case 'aggregate':
        this.#visitChildren(relation);
        // Later expressions may read the grouped value as another type, or a member of it.
        for (const key of relation.keys) this.#setOrigin(key);
        return;
      case 'distinct':
        this.#visit(relation.input);
        for (const column of outputColumns(relation.input)) this.#readColumn(column);
        return;
      case 'setOperation':
        for (const input of relation.inputs) {
          this.#visit(input.relation);
          for (const column of input.columns) this.#readColumn(column);
        }
        return;
      default:
        this.#visitChildren(relation);
    }
  }

  #visitReference({ table, columns }: Extract<Relation, { kind: 'withReference' }>): void {
    if (this.#tables?.has(table.id) === true) {
      this.#begin(table.name, columns);
      return;
    }
    if (!this.#visited.has(table)) {
      this.#visited.add(table);
      this.#visit(table.relation);
    }
    for (const [i, column] of columns.entries()) {
      const source = table.columns[i];
      const origin = source === undefined ? undefined : this.#origins.get(source);
      if (origin !== undefined) this.#origins.set(column, origin);
    }
  }

  /** Records a table, also if none of its columns is read, as in `count(*)`. */
  #begin(table: string, columns: readonly Column[]): void {
    if (!this.#found.has(table)) this.#found.set(table, new Map());
    for (const column of columns) this.#origins.set(column, { table, path: [column.name] });
  }

  #visitChildren(relation: Relation): void {
    mapRelation(relation, {
      relation: (below) => {
        this.#visit(below);
        return below;
      },
      expr: (expr) => {
        this.#read(expr);
        return expr;
      },
    });
  }

  #pass(items: readonly Computed[]): void {
    for (const item of items) if (!this.#setOrigin(item)) this.#read(item.expr);
  }

  #setOrigin({ column, expr }: Computed): boolean {
    const origin = this.#originOf(expr);
    if (origin !== null) this.#origins.set(column, origin);
    return origin !== null;
  }

  #originOf(expr: Expr): Origin | null {
    if (expr.kind === 'column') return this.#origins.get(expr.column) ?? null;
    if (expr.kind === 'pathRead') {
      const base = this.#originOf(expr.base);
      return base === null ? null : { ...base, path: [...base.path, ...expr.path] };
    }
    if (expr.kind !== 'call' || !elementFunctions.has(expr.fn)) return null;
    const [array] = expr.args;
    return array === undefined || array.kind === 'part' ? null : this.#originOf(array);
  }

  #read(expr: Expr): void {
    const origin = this.#originOf(expr);
    if (origin !== null) {
      this.#record(origin);
      return;
    }
    mapExpr(expr, {
      relation: (below) => {
        this.#visit(below);
        return below;
      },
      expr: (below) => {
        this.#read(below);
        return below;
      },
    });
    if ((expr.kind === 'subquery' || expr.kind === 'inSubquery') && expr.column !== null) this.#readColumn(expr.column);
  }

  #readColumn(column: Column): void {
    const origin = this.#origins.get(column);
    if (origin !== undefined) this.#record(origin);
  }

  #record({ table, path }: Origin): void {
    this.#found.get(table)?.set(path.join('.'), path);
  }
}
