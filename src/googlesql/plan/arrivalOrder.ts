import { type Mapper, mapExpr, mapRelation, outputColumns } from '../resolve/traverse.ts';
import type {
  AggregateCall,
  AggregateRelation,
  Column,
  Computed,
  DistinctRelation,
  Expr,
  JoinRelation,
  ProjectRelation,
  Relation,
  ScanRelation,
  SetOperationRelation,
  SortKey,
  SortRelation,
  UnnestArrayRelation,
  UnnestRecordRelation,
  WindowCall,
  WindowRelation,
  WithReferenceRelation,
  WithRelation,
  WithTable,
} from '../resolve/tree.ts';
import { BOOL, INT64, type SqlType, STRING, typeName } from '../types.ts';

/**
 * Distinguishes rows that are equal in all sort keys of their query: an event, a position in an array, or a value by which
 * rows are grouped.
 */
type Tie =
  | { readonly kind: 'event'; readonly number: Column; readonly id: Column }
  | { readonly kind: 'offset'; readonly offset: Column }
  | { readonly kind: 'value'; readonly value: Column };

type Arm = SetOperationRelation['inputs'][number];

interface Tied {
  readonly relation: Relation;
  /**
   * Columns of the relation, the most significant first. Empty if its rows do not stem from events, or are not sorted.
   */
  readonly ties: readonly Tie[];
}

export interface OrderedByArrival {
  readonly relation: Relation;
  /** The column of arrival numbers of each scan that must provide them, by its timestamp column. */
  readonly numbers: ReadonlyMap<Column, Column>;
}

/**
 * Completes each ORDER BY over rows of events with their arrival (contract, section 2). Later arrivals come first, or
 * earlier ones if the first key of type TIMESTAMP or DATETIME ascends, so that lines with the same time keep the order
 * in which they were written. Rows of a join have the arrivals of both sides; elements of an array keep their order.
 * The same applies to values that an aggregate collects, and to rows that a window function counts. Rows of groups have
 * no arrival. `areAllNumbered` says that no scan reads events from before there were numbers, which are ordered by
 * their ids.
 */
export function orderByArrival(
  relation: Relation,
  areAllNumbered: boolean,
  newColumn: (name: string, type: SqlType) => Column,
): OrderedByArrival {
  const completion = new Completion(areAllNumbered, newColumn);
  return { relation: completion.visit(relation, false).relation, numbers: completion.numbers };
}

/** The rows of a relation with the keys that distinguish them, the most significant first. */
export interface DistinguishedRows {
  readonly relation: Relation;
  /** Whether a row stems from events, and not from groups of them. */
  readonly isByArrival: boolean;
  /** Empty if its rows do not stem from events. */
  keys(descending: boolean): readonly SortKey[];
}

/**
 * Adds the arrival to the rows of a relation whose scans have `arrival`. The keys are those that `orderByArrival` adds to
 * an ORDER BY, the arm of a UNION ALL, because the same event may be in several, and the values of groups. `areAllNumbered`:
 * see `orderByArrival`.
 */
export function distinguishByArrival(
  relation: Relation,
  newColumn: (name: string, type: SqlType) => Column,
  areAllNumbered = false,
): DistinguishedRows {
  const completion = new Completion(areAllNumbered, newColumn, true);
  const tied = completion.visit(relation, true);
  return {
    relation: tied.relation,
    isByArrival: tied.ties.some(({ kind }) => kind === 'event'),
    keys: (descending) => completion.keysOf(tied.ties, descending),
  };
}

class Completion {
  readonly numbers = new Map<Column, Column>();
  readonly #areAllNumbered: boolean;
  readonly #newColumn: (name: string, type: SqlType) => Column;
  /** Whether relations are those of the resolver, in which each column is produced once and arms are distinguished. */
  readonly #isBeforeInlining: boolean;
  /** Current WITH tables by id; relations that read them may still hold older versions. */
  readonly #tables = new Map<number, WithTable>();
  /** Tables whose rows are distinguished, each with the ties of its own columns. */
  readonly #tiedTables = new Map<number, { readonly table: WithTable; readonly ties: readonly Tie[] }>();
  /** The order of rows inside expressions does not reach the result. */
  readonly #inside: Mapper = {
    relation: (below) => this.visit(below, false).relation,
    expr: (expr) => mapExpr(expr, this.#inside),
  };

  constructor(areAllNumbered: boolean, newColumn: (name: string, type: SqlType) => Column, isBeforeInlining = false) {
    this.#areAllNumbered = areAllNumbered;
    this.#newColumn = newColumn;
    this.#isBeforeInlining = isBeforeInlining;
  }

  /** `isSorted`: whether a relation above sorts by the ties of this one. */
  visit(relation: Relation, isSorted: boolean): Tied {
    switch (relation.kind) {
      case 'scan':
        if (relation.arrival !== undefined) this.numbers.set(relation.columns.timestamp, relation.arrival);
        return { relation, ties: isSorted ? [this.#eventOf(relation)] : [] };
      case 'filter':
      case 'limit':
        return this.#over(relation, isSorted);
      case 'window':
        return this.#window(relation, isSorted);
      case 'aggregate':
        return this.#aggregate(relation, isSorted);
      case 'sort':
        return this.#sort(relation, isSorted);
      case 'project':
        return this.#project(relation, isSorted);
      case 'join':
        return this.#join(relation, isSorted);
      case 'unnestRecord':
      case 'unnestArray':
        return this.#unnest(relation, isSorted);
      case 'setOperation':
        if (isSorted && relation.op === 'union' && relation.all) return this.#unionAll(relation);
        return relation.all ? this.#untied(relation) : this.#ofValues(relation, isSorted);
      case 'with':
        return this.#with(relation, isSorted);
      case 'withReference':
        return isSorted ? this.#reference(relation) : { relation, ties: [] };
      case 'distinct':
        return this.#ofValues(relation, isSorted);
      case 'oneRow':
        return this.#untied(relation);
    }
  }

  /** A relation whose rows all differ. */
  #ofValues(relation: DistinctRelation | SetOperationRelation, isSorted: boolean): Tied {
    const untied = this.#untied(relation);
    if (!isSorted || !this.#isBeforeInlining) return untied;
    return { ...untied, ties: outputColumns(untied.relation).map((value) => ({ kind: 'value', value })) };
  }

  #eventOf(scan: ScanRelation): Tie {
    const { timestamp, id } = scan.columns;
    const number = this.numbers.get(timestamp) ?? this.#newColumn('arrival', INT64);
    this.numbers.set(timestamp, number);
    return { kind: 'event', number, id };
  }

  /** A relation whose rows do not correspond to single rows below it. */
  #untied(relation: Relation): Tied {
    return { relation: mapRelation(relation, this.#inside), ties: [] };
  }

  /** A relation that passes on the columns of its input. */
  #over(relation: Extract<Relation, { readonly input: Relation }>, isSorted: boolean): Tied {
    const { relation: input, ties } = this.visit(relation.input, isSorted);
    const whole = mapRelation(
      { ...relation, input },
      { relation: (below) => (below === input ? below : this.#inside.relation(below)), expr: this.#inside.expr },
    );
    return { relation: whole, ties };
  }

  #sort(sort: SortRelation, isSorted: boolean): Tied {
    const { relation, ties } = this.#over(sort, true);
    const handed = isSorted ? ties : [];
    if (relation.kind !== 'sort') return { relation, ties: handed };
    return { relation: { ...relation, keys: this.#completed(relation.keys, ties) }, ties: handed };
  }

  /** Group values are ordered only if they are collected in an order, as by STRING_AGG. */
  #aggregate(aggregate: AggregateRelation, isSorted: boolean): Tied {
    const { relation, ties: below } = this.#over(aggregate, aggregate.aggregates.some(ordersValues));
    if (relation.kind !== 'aggregate') return { relation, ties: [] };
    const aggregates = relation.aggregates.map((call) => {
      if (!ordersValues(call)) return call;
      const orderBy = this.#completed(call.modifiers.orderBy, below);
      return { ...call, modifiers: { ...call.modifiers, orderBy } };
    });
    const isDistinguished = isSorted && this.#isBeforeInlining;
    const ties = isDistinguished ? relation.keys.map(({ column }): Tie => ({ kind: 'value', value: column })) : [];
    return { relation: { ...relation, aggregates }, ties };
  }

  #window(window: WindowRelation, isSorted: boolean): Tied {
    const { relation, ties } = this.#over(window, isSorted || window.calls.some(countsRows));
    const handed = isSorted ? ties : [];
    if (relation.kind !== 'window') return { relation, ties: handed };
    const calls = relation.calls.map((call) =>
      countsRows(call) ? { ...call, orderBy: this.#completed(call.orderBy, ties) } : call,
    );
    return { relation: { ...relation, calls }, ties: handed };
  }

  #completed(keys: readonly SortKey[], ties: readonly Tie[]): readonly SortKey[] {
    if (ties.every(({ kind }) => kind === 'offset')) return keys;
    const time = keys.find(({ expr }) => expr.type.kind === 'TIMESTAMP' || expr.type.kind === 'DATETIME');
    return [...keys, ...this.keysOf(ties, time?.descending ?? true)];
  }

  keysOf(ties: readonly Tie[], descending: boolean): readonly SortKey[] {
    return ties.flatMap((tie): SortKey[] => {
      if (tie.kind === 'offset') return [{ expr: read(tie.offset), descending: false, nulls: 'first' }];
      if (tie.kind === 'value') return [{ expr: read(tie.value), descending: false, nulls: 'first' }];
      const keyOf = (expr: Expr): SortKey => ({ expr, descending, nulls: descending ? 'last' : 'first' });
      const byNumber = keyOf(read(tie.number));
      // Events without a number came before all that have one.
      return this.#areAllNumbered ? [byNumber] : [byNumber, keyOf(idWithoutNumber(tie))];
    });
  }

  #project(project: ProjectRelation, isSorted: boolean): Tied {
    const { relation, ties } = this.#over(project, isSorted);
    if (relation.kind !== 'project') return { relation, ties: [] };
    if (this.#isBeforeInlining) {
      const passed = this.#fresh(ties);
      const sources = ties.flatMap((tie) => this.#columnsOf(tie));
      const carried = passed.flatMap((tie) => this.#columnsOf(tie)).map((column, i) => carry(column, sources[i]));
      return { relation: { ...relation, items: [...relation.items, ...carried] }, ties: passed };
    }
    const kept = new Set(relation.items.map(({ column }) => column));
    const added = ties.flatMap((tie) => this.#columnsOf(tie)).filter((column) => !kept.has(column));
    const items = added.map((column) => ({ column, expr: read(column) }));
    return { relation: { ...relation, items: [...relation.items, ...items] }, ties };
  }

  #columnsOf(tie: Tie): readonly Column[] {
    if (tie.kind === 'offset') return [tie.offset];
    if (tie.kind === 'value') return [tie.value];
    return this.#areAllNumbered ? [tie.number] : [tie.number, tie.id];
  }

  #join(join: JoinRelation, isSorted: boolean): Tied {
    const left = this.visit(join.left, isSorted);
    const right = this.visit(join.right, isSorted);
    const on = join.on === null ? null : this.#inside.expr(join.on);
    const relation = { ...join, left: left.relation, right: right.relation, on };
    return { relation, ties: [...left.ties, ...right.ties] };
  }

  #unnest(unnest: UnnestRecordRelation | UnnestArrayRelation, isSorted: boolean): Tied {
    const { relation, ties } = this.#over(unnest, isSorted);
    if (relation.kind !== unnest.kind || ties.length === 0) return { relation, ties };
    const offset = relation.offset ?? this.#newColumn('offset', INT64);
    return { relation: { ...relation, offset }, ties: [...ties, { kind: 'offset', offset }] };
  }

  /** The ties of the arms are used only as far as they are alike in all of them. */
  #unionAll(union: SetOperationRelation): Tied {
    const arms = union.inputs.map(({ relation, columns }) => ({ ...this.visit(relation, true), columns }));
    const first = arms[0]?.ties ?? [];
    const isUnlike = (_: Tie, i: number) => arms.some(({ ties }) => formOf(ties[i]) !== formOf(first[i]));
    const firstUnlike = first.findIndex(isUnlike);
    const common = firstUnlike === -1 ? first : first.slice(0, firstUnlike);
    const ties = this.#fresh(common);
    const inputs = arms.map((arm) => {
      const added = arm.ties.slice(0, common.length).flatMap((tie) => this.#columnsOf(tie));
      return { relation: arm.relation, columns: [...arm.columns, ...added] };
    });
    const columns = [...union.columns, ...ties.flatMap((tie) => this.#columnsOf(tie))];
    if (!this.#isBeforeInlining) return { relation: { ...union, inputs, columns }, ties };
    const offset = this.#newColumn('arm', INT64);
    const numbered = inputs.map((input, i) => this.#withArm(input, i));
    const relation: SetOperationRelation = { ...union, inputs: numbered, columns: [...columns, offset] };
    return { relation, ties: [...ties, { kind: 'offset', offset }] };
  }

  /** The rows of an arm with its number, in columns of their own. */
  #withArm({ relation, columns }: Arm, index: number): Arm {
    const passed = columns.map((source) => carry(this.#newColumn(source.name, source.type), source));
    const number: Expr = { kind: 'literal', type: INT64, value: BigInt(index) };
    const items = [...passed, { column: this.#newColumn('arm', INT64), expr: number }];
    return { relation: { kind: 'project', input: relation, items }, columns: items.map(({ column }) => column) };
  }

  #fresh(ties: readonly Tie[]): readonly Tie[] {
    return ties.map((tie): Tie => {
      if (tie.kind === 'offset') return { kind: 'offset', offset: this.#newColumn('offset', INT64) };
      if (tie.kind === 'value') return { kind: 'value', value: this.#newColumn(tie.value.name, tie.value.type) };
      return { kind: 'event', number: this.#newColumn('arrival', INT64), id: this.#newColumn('id', STRING) };
    });
  }

  /** Visits readers of a table before the table: only then is it known which tables must distinguish their rows. */
  #with(relation: WithRelation, isSorted: boolean): Tied {
    for (const table of relation.tables) this.#tables.set(table.id, table);
    const body = this.visit(relation.body, isSorted);
    const tables: WithTable[] = [];
    for (const table of relation.tables.toReversed()) {
      const tied = this.#tiedTables.get(table.id)?.table;
      tables.unshift(tied ?? { ...table, relation: this.visit(table.relation, false).relation });
    }
    return { relation: { ...relation, tables, body: body.relation }, ties: body.ties };
  }

  #reference(reference: WithReferenceRelation): Tied {
    const { table, ties: below } = this.#tied(this.#tables.get(reference.table.id) ?? reference.table);
    const ties = this.#fresh(below);
    const columns = [...reference.columns, ...ties.flatMap((tie) => this.#columnsOf(tie))];
    return { relation: { ...reference, table, columns }, ties };
  }

  #tied(table: WithTable): { readonly table: WithTable; readonly ties: readonly Tie[] } {
    const known = this.#tiedTables.get(table.id);
    if (known !== undefined) return known;
    const { relation, ties } = this.visit(table.relation, true);
    const added = ties.flatMap((tie) => this.#columnsOf(tie));
    const tied = { table: { ...table, relation, columns: [...table.columns, ...added] }, ties };
    this.#tiedTables.set(table.id, tied);
    return tied;
  }
}

/** With DISTINCT, the engine orders only by the collected values. */
const ordersValues = ({ modifiers }: AggregateCall): boolean => modifiers.orderBy.length > 0 && !modifiers.distinct;

/** Whether a window call distinguishes rows that are equal in its order; other calls treat them as peers. */
function countsRows({ fn, orderBy, frame, modifiers }: WindowCall): boolean {
  if (orderBy.length === 0) return false;
  if (frame?.unit === 'rows' || ['row_number', 'ntile', 'lag', 'lead'].includes(fn)) return true;
  // The last peers belong to a RANGE frame that ends at them, so the order may be extended only if that keeps the
  // frame's ends.
  const startsFirst = frame === null || frame.start.kind === 'unbounded';
  if (fn === 'first_value' && startsFirst && modifiers.nulls !== 'ignore') return true;
  return navigates.has(fn) && frame?.start.kind === 'unbounded' && frame.end.kind === 'unbounded';
}

const navigates: ReadonlySet<WindowCall['fn']> = new Set(['first_value', 'last_value', 'nth_value']);

/** Equal for ties whose columns can be united. */
const formOf = (tie: Tie | undefined): string | undefined =>
  tie?.kind === 'value' ? typeName(tie.value.type) : tie?.kind;

const read = (column: Column): Expr => ({ kind: 'column', type: column.type, column });

/** Passes a column on under another one: before tables are inlined, each column is produced by one relation. */
function carry(column: Column, source: Column | undefined): Computed {
  if (source === undefined) throw new Error('a column of a tie is missing');
  return { column, expr: read(source) };
}

const start = { offset: 0, line: 1, column: 1 };

function idWithoutNumber({ number, id }: Tie & { readonly kind: 'event' }): Expr {
  const when: Expr = { kind: 'call', type: BOOL, fn: '$is_null', args: [read(number)], safe: false, pos: start };
  return { kind: 'case', type: STRING, branches: [{ when, value: read(id) }], otherwise: null };
}
