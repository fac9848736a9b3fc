import { orderByArrival } from '../../../googlesql/plan/arrivalOrder.ts';
import { attachScans } from '../../../googlesql/plan/attachScans.ts';
import { conditionsBelowUnnests } from '../../../googlesql/plan/conditionsBelowUnnests.ts';
import { allOf } from '../../../googlesql/plan/impliedConditions.ts';
import { columnsAfter } from '../../../googlesql/plan/queryPlan.ts';
import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../../../googlesql/resolve/traverse.ts';
import type {
  Column,
  Expr,
  FilterRelation,
  LimitRelation,
  Relation,
  ScanRelation,
} from '../../../googlesql/resolve/tree.ts';
import { aggregated, distinct, filtered, limited, projected, sorted, unnested, windowed } from './block.ts';
import type { Block } from './blocks.ts';
import { columnsUsed, columnsUsedOutside } from './columnsUsed.ts';
import { withoutConstantJoins } from './constantJoins.ts';
import type { Fetch, KeptBack, SplitPlan, SplitRequest } from './fetch.ts';
import { isJoin } from './join.ts';
import { joined } from './joinBlock.ts';
import { attempted, notPushed } from './notPushed.ts';
import { scanBlock } from './scanBlock.ts';
import { ScanContext } from './scanContext.ts';
import { isUnion, united } from './union.ts';
import { withoutNullTests } from './withoutNullTests.ts';
import { type FetchNames, writeFetch } from './writeFetch.ts';

/**
 * Splits a plan into statements for ClickHouse and a rest for DuckDB. A statement takes as much of the query above one scan,
 * an inner join of two or a UNION ALL of several, as is proved equal: its filters, then groups, their filter, order and limit. Call it within `plan.at`.
 */
export function splitPlan(request: SplitRequest): SplitPlan {
  const { plan, factsOf } = request;
  const { newColumn } = columnsAfter(plan.lastColumnId);
  const facts = (scan: ScanRelation) => {
    const { irregular, isReadable } = factsOf(scan);
    const { redaction } = plan;
    return {
      irregular: redaction === null ? irregular : new Set([...irregular, ...redaction.personalNumbers(scan)]),
      isReadable,
    };
  };
  const attached = attachScans(withoutConstantJoins(plan.relation), facts, newColumn);
  const outputs = plan.outputs.map((output) => attached.resolve(output));
  const { reads } = attached;
  const lowered = conditionsBelowUnnests(attached.relation, ({ columns }) => [
    ...Object.values(columns),
    ...(reads.get(columns.timestamp) ?? []).map(({ column }) => column),
  ]);
  const ordered = orderByArrival(lowered, true, newColumn);
  const blockOf = (scan: ScanRelation): Block => {
    const avoid = request.avoid ?? new Set();
    const { timestamp } = scan.columns;
    const trusted = attached.trusted.get(timestamp) ?? new Set();
    const isRedacted = plan.redaction !== null;
    const context = new ScanContext(scan, request.tableOf(scan), facts(scan), avoid, isRedacted, trusted);
    return scanBlock(context, reads.get(timestamp) ?? [], ordered.numbers.get(timestamp) ?? null);
  };
  let tables = firstTableId;
  const names: FetchNames = {
    newColumn: ({ name, type }) => newColumn(name, type),
    newTableId: () => {
      tables += 1;
      return tables;
    },
  };
  const tested = withoutNullTests(ordered.relation, outputs, ordered.numbers.values());
  const split = new Split(blockOf, names, tested.relation, tested.outputs, request);
  return { relation: split.relation, outputs: tested.outputs, fetches: split.fetches, keptBack: split.keptBack };
}

/** Tables of the query have lower ids. */
const firstTableId = 1_000_000;

class Split {
  readonly relation: Relation;
  readonly fetches: Fetch[] = [];
  readonly keptBack: KeptBack[] = [];
  readonly #blockOf: (scan: ScanRelation) => Block;
  readonly #names: FetchNames;
  readonly #root: Relation;
  readonly #outputs: readonly Expr[];
  readonly #canJoin: boolean;
  /** Parts that have been replaced, whose columns are read elsewhere only as the columns of the fetch. */
  readonly #inside: Mapper = {
    relation: (below) => this.#split(below),
    expr: (expr) => mapExpr(expr, this.#inside),
  };

  constructor(
    blockOf: (scan: ScanRelation) => Block,
    names: FetchNames,
    root: Relation,
    outputs: readonly Expr[],
    { rowsNeeded, canJoin }: Pick<SplitRequest, 'rowsNeeded' | 'canJoin'>,
  ) {
    this.#blockOf = blockOf;
    this.#names = names;
    this.#root = root;
    this.#outputs = outputs;
    this.#canJoin = canJoin;
    this.relation = this.#top(root, rowsNeeded);
  }

  /** The outermost query, of which only the first rows are needed. */
  #top(root: Relation, rowsNeeded: number | null): Relation {
    if (!readsEvents(root)) return root;
    if (root.kind === 'with') {
      const tables = root.tables.map((table) => ({ ...table, relation: this.#split(table.relation) }));
      return { ...root, tables, body: this.#top(root.body, rowsNeeded) };
    }
    const whole = attempted(() => this.#block(root));
    if ('reason' in whole) return this.#firstOfArms(root, rowsNeeded) ?? this.#split(root);
    if (isUnion(whole.value.source) && whole.value.group === null) return this.#united(whole.value, root, rowsNeeded);
    const cut = attempted(() =>
      whole.value.limit === null && rowsNeeded !== null
        ? limited(whole.value, { count: BigInt(rowsNeeded), offset: 0n })
        : whole.value,
    );
    const first = attempted(() => this.#fetch(bounded('value' in cut ? cut.value : whole.value), root));
    if ('reason' in cut) this.#keepBack(cut.reason, true);
    return 'value' in first ? first.value : this.#parts(root, first.reason);
  }

  /** The first rows of a UNION ALL, as one statement unless it has values that only the rest unites. */
  #united(block: Block, root: Relation, rowsNeeded: number | null): Relation {
    const fetched = attempted(() => {
      const isCut = block.limit === null && rowsNeeded !== null;
      const first = isCut ? limited(block, { count: BigInt(rowsNeeded), offset: 0n }) : block;
      return this.#fetch(bounded(first), root);
    });
    if ('value' in fetched) return fetched.value;
    return this.#firstOfArms(root, rowsNeeded) ?? this.#parts(root, fetched.reason);
  }

  /**
   * The first rows of a UNION ALL, each of whose arms gives its own first rows; null for other queries. The rest puts them
   * in order.
   */
  #firstOfArms(root: Relation, rowsNeeded: number | null): Relation | null {
    const { count, below } = firstRows(root, rowsNeeded);
    const union = below?.kind === 'sort' ? below.input : null;
    if (below?.kind !== 'sort' || union?.kind !== 'setOperation' || union.op !== 'union' || !union.all) return null;
    const blocks = union.inputs.map(({ relation, columns }) =>
      attempted(() => {
        const keys = below.keys.map((key) => ({ ...key, expr: ofArm(key.expr, union.columns, columns) }));
        return limited(sorted(this.#block(relation), keys), { count, offset: 0n });
      }),
    );
    const inputs = union.inputs.map((input, i) => {
      const block = blocks[i];
      return block !== undefined && 'value' in block ? { input, block: block.value } : null;
    });
    if (!inputs.every((input) => input !== null)) return null;
    const before = this.fetches.length;
    const fetched = attempted(() =>
      inputs.map(({ input, block }) => ({ ...input, relation: this.#fetch(block, input.relation) })),
    );
    if ('reason' in fetched) {
      this.fetches.length = before;
      return null;
    }
    const sort = { ...below, input: { ...union, inputs: fetched.value } };
    return root.kind === 'limit' ? { ...root, input: sort } : sort;
  }

  /** A part of the query of which all rows are needed. */
  #split(relation: Relation): Relation {
    if (!readsEvents(relation)) return relation;
    const whole = attempted(() => this.#fetch(this.#bounded(relation), relation));
    return 'value' in whole ? whole.value : this.#parts(relation, whole.reason);
  }

  /** A relation that is not pushed as a whole, for this reason. */
  #parts(relation: Relation, reason: string): Relation {
    this.#keepBack(reason, costsRows(relation));
    return relation.kind === 'filter' ? this.#filter(relation) : mapRelation(relation, this.#inside);
  }

  /** A filter of which only some conditions are pushed. */
  #filter(filter: FilterRelation): Relation {
    const below = attempted(() => this.#bounded(filter.input));
    if ('reason' in below) return mapRelation(filter, this.#inside);
    let block = below.value;
    const kept: Expr[] = [];
    for (const conjunct of conjunctsOf(filter.condition)) {
      const next = attempted(() => filtered(block, conjunct));
      if ('value' in next) block = next.value;
      else kept.push(conjunct);
    }
    const condition = allOf(kept);
    const input = attempted(() => this.#fetch(block, filter, columnsUsed(condition)));
    if ('reason' in input) return mapRelation(filter, this.#inside);
    return { ...filter, condition: this.#inside.expr(condition), input: input.value };
  }

  /** `part` is what the fetch takes the place of, except for an expression that reads the columns `above`. */
  #fetch(block: Block, part: Relation, above: ReadonlySet<Column> = new Set()): Relation {
    const wanted = new Set([...columnsUsedOutside(this.#root, part, this.#outputs), ...above]);
    const present = new Set([...wanted].filter((column) => block.cells.has(column)));
    const { fetch, relation } = writeFetch(block, part, present, this.#names);
    this.fetches.push(fetch);
    return relation;
  }

  #keepBack(reason: string, costs: boolean): void {
    if (this.keptBack.some((each) => each.reason === reason && each.costsRows === costs)) return;
    this.keptBack.push({ reason, costsRows: costs });
  }

  /** A SELECT of which all rows are fetched. */
  #bounded(relation: Relation): Block {
    return bounded(this.#block(relation));
  }

  /** The SELECT of a relation over one scan, or over several that are joined or united. */
  #block(relation: Relation): Block {
    const block = this.#built(relation);
    if (block.group === null && block.unnested.length > 0)
      notPushed('UNNEST of a nested value whose rows are returned');
    return block;
  }

  #built(relation: Relation): Block {
    switch (relation.kind) {
      case 'scan':
        return this.#blockOf(relation);
      case 'filter':
        return filtered(this.#built(relation.input), relation.condition);
      case 'project':
        return projected(this.#built(relation.input), relation.items);
      case 'aggregate':
        return aggregated(this.#built(relation.input), relation);
      case 'window':
        return windowed(this.#built(relation.input), relation.calls);
      case 'distinct':
        return distinct(this.#built(relation.input), relation.input);
      case 'sort':
        return sorted(this.#built(relation.input), relation.keys);
      case 'limit':
        if (isBarrier(relation)) return this.#built(relation.input);
        return limited(this.#built(relation.input), {
          count: relation.limit === null ? null : literalCount(relation.limit),
          offset: relation.offset === null ? 0n : literalCount(relation.offset),
        });
      case 'join':
        if (relation.type !== 'inner') return notPushed(`${relation.type.toUpperCase()} JOIN`);
        if (!this.#canJoin) return notPushed('JOIN of tables of a cluster');
        return joined(this.#built(relation.left), this.#built(relation.right), relation.on);
      case 'setOperation':
        return united(
          relation,
          relation.inputs.map((input) => this.#block(input.relation)),
        );
      case 'unnestRecord':
        return unnested(this.#built(relation.input), relation);
      default:
        return notPushed(namesOf[relation.kind] ?? relation.kind);
    }
  }
}

/** The rows that are needed of the relation below a LIMIT, if the query has one there. */
function firstRows(
  root: Relation,
  rowsNeeded: number | null,
): { readonly count: bigint; readonly below: Relation | null } {
  const none = { count: 0n, below: null };
  if (root.kind !== 'limit') return rowsNeeded === null ? none : { count: BigInt(rowsNeeded), below: root };
  const counts = attempted(() => {
    const limit = root.limit === null ? rowsNeeded : literalCount(root.limit);
    return limit === null ? null : BigInt(limit) + (root.offset === null ? 0n : literalCount(root.offset));
  });
  return 'value' in counts && counts.value !== null ? { count: counts.value, below: root.input } : none;
}

/** A key of a UNION ALL over the columns of one arm. */
function ofArm(expr: Expr, columns: readonly Column[], own: readonly Column[]): Expr {
  const column = expr.kind === 'column' ? own[columns.indexOf(expr.column)] : undefined;
  if (column === undefined) return notPushed('ORDER BY of a computed value above UNION ALL');
  return { kind: 'column', type: column.type, column };
}

const namesOf: Readonly<Partial<Record<Relation['kind'], string>>> = {
  unnestArray: 'UNNEST of an array',
  with: 'WITH tables that are read more than once',
  withReference: 'WITH tables that are read more than once',
  oneRow: 'SELECT without FROM',
};

/**
 * The block, if it returns no more rows than the scans that it reads: a join may return each of them many times. All rows of
 * a UNION ALL come in a statement for each arm.
 */
function bounded(block: Block): Block {
  const { source, group, limit } = block;
  if (group !== null || limit?.count != null) return block;
  if (isUnion(source)) return notPushed('UNION ALL whose rows are returned without LIMIT');
  return isJoin(source) ? notPushed('JOIN whose rows are returned without ORDER BY and LIMIT') : block;
}

/** An optimization barrier. It is needless here: nothing that is pushed can fail, and the rest reads only rows of the part. */
const isBarrier = ({ limit, offset }: LimitRelation): boolean =>
  limit === null && offset?.kind === 'literal' && offset.value === 0n;

function literalCount(expr: Expr): bigint {
  if (expr.kind !== 'literal' || typeof expr.value !== 'bigint') return notPushed('a LIMIT that is not constant');
  return expr.value;
}

function readsEvents(relation: Relation): boolean {
  let found = false;
  walkRelation(relation, {
    relation: (below) => {
      found ||= below.kind === 'scan';
    },
  });
  return found;
}

/** Whether the answer needs fewer rows than those that the kept part reads. */
function costsRows(relation: Relation): boolean {
  return relation.kind !== 'project' && relation.kind !== 'sort' && relation.kind !== 'window';
}
