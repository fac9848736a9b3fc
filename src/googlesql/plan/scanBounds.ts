import { type Mapper, mapExpr, mapRelation } from '../resolve/traverse.ts';
import type { CallArgument, CallExpr, Column, Computed, Expr, Relation, ScanRelation } from '../resolve/tree.ts';
import { isTransparent } from './inline.ts';

/** What the filters above a scan say about the events that can matter. */
export interface ScanBounds {
  readonly scan: ScanRelation;
  /** The only projects whose events can matter, each once; null where none is named, empty where filters contradict each other. */
  readonly projects: readonly string[] | null;
  /** Inclusive bounds on the timestamp in microseconds; null where open. */
  readonly fromMicros: bigint | null;
  readonly toMicros: bigint | null;
  /** Whether filters turn events down that the bounds let through. */
  readonly isFiltered: boolean;
}

/**
 * Reads bounds from the filters of a folded query. Only ever too wide, never too narrow: a scan
 * restricted to its bounds gives the same answer. Keyed by the scan's timestamp column.
 */
export function scanBounds(relation: Relation): ReadonlyMap<Column, ScanBounds> {
  return new Map([...scanConditions(relation)].map(([key, { scan, conjuncts }]) => [key, boundsOf(scan, conjuncts)]));
}

/** What every event must meet that a scan gives to the rest of a query. */
export interface ScanConditions {
  readonly scan: ScanRelation;
  /** Outermost first; none where no filter is known to be met. */
  readonly conjuncts: readonly Expr[];
}

/** The conditions of every scan, keyed by its timestamp column. */
export function scanConditions(relation: Relation): ReadonlyMap<Column, ScanConditions> {
  const found = new Map<Column, ScanConditions>();
  visit(relation, [], found);
  return found;
}

function visit(relation: Relation, conjuncts: readonly Expr[], found: Map<Column, ScanConditions>): void {
  visitSubqueries(relation, found);
  switch (relation.kind) {
    case 'scan':
      found.set(relation.columns.timestamp, { scan: relation, conjuncts });
      return;
    case 'filter':
      visit(relation.input, [...conjuncts, ...conjunctsOf(relation.condition)], found);
      return;
    case 'project':
      visit(relation.input, throughProject(conjuncts, relation.items), found);
      return;
    case 'join': {
      const on = relation.on === null ? [] : conjunctsOf(relation.on);
      const keepsLeft = relation.type === 'inner' || relation.type === 'left';
      const keepsRight = relation.type === 'inner' || relation.type === 'right';
      const filtersLeft = relation.type === 'inner' || relation.type === 'right' ? on : [];
      const filtersRight = relation.type === 'inner' || relation.type === 'left' ? on : [];
      visit(relation.left, [...(keepsLeft ? conjuncts : []), ...filtersLeft], found);
      visit(relation.right, [...(keepsRight ? conjuncts : []), ...filtersRight], found);
      return;
    }
    case 'unnestRecord':
      // Of a stream's metadata the alias is the metadata itself; of anything else it is nothing a bound speaks of.
      visit(relation.input, throughProject(conjuncts, [{ column: relation.alias, expr: relation.value }]), found);
      return;
    case 'unnestArray':
    case 'sort':
    case 'distinct':
      visit(relation.input, conjuncts, found);
      return;
    case 'aggregate':
    case 'window':
    case 'limit':
      visit(relation.input, [], found);
      return;
    case 'setOperation':
      for (const input of relation.inputs) visit(input.relation, [], found);
      return;
    case 'with':
      for (const table of relation.tables) visit(table.relation, [], found);
      visit(relation.body, conjuncts, found);
      return;
    case 'oneRow':
    case 'withReference':
      return;
  }
}

/** Subqueries in the relation's own expressions: what is above the relation says nothing about them. */
function visitSubqueries(relation: Relation, found: Map<Column, ScanConditions>): void {
  const mapper: Mapper = {
    relation: (below) => below,
    expr: (expr) => {
      if (expr.kind === 'subquery' || expr.kind === 'inSubquery') visit(expr.query, [], found);
      return mapExpr(expr, mapper);
    },
  };
  mapRelation(relation, mapper);
}

/** The operands of a chain of ANDs. */
export function conjunctsOf(condition: Expr): readonly Expr[] {
  if (condition.kind === 'call' && condition.fn === '$and') {
    return condition.args.flatMap((arg) => (arg.kind === 'part' ? [] : conjunctsOf(arg)));
  }
  return [condition];
}

/**
 * Conditions over columns that only rename or read members, as conditions over what they read. One
 * over a computed column says nothing that a bound could use.
 */
function throughProject(conjuncts: readonly Expr[], items: readonly Computed[]): readonly Expr[] {
  const byColumn = new Map(items.map((item) => [item.column, item.expr]));
  return conjuncts.flatMap((conjunct) => {
    let isComputed = false;
    const mapper: Mapper = {
      relation: (below) => below,
      expr: (expr) => {
        if (expr.kind !== 'column') return mapExpr(expr, mapper);
        const known = byColumn.get(expr.column) ?? expr;
        isComputed ||= !isTransparent(known);
        return known;
      },
    };
    const mapped = mapper.expr(conjunct);
    return isComputed ? [] : [mapped];
  });
}

function boundsOf(scan: ScanRelation, conjuncts: readonly Expr[]): ScanBounds {
  let projects: readonly string[] | null = null;
  let fromMicros: bigint | null = null;
  let toMicros: bigint | null = null;
  const oneOf = (named: readonly string[]) => {
    projects = projects === null ? [...new Set(named)] : projects.filter((project) => named.includes(project));
  };
  const atLeast = (micros: bigint) => {
    if (fromMicros === null || micros > fromMicros) fromMicros = micros;
  };
  const atMost = (micros: bigint) => {
    if (toMicros === null || micros < toMicros) toMicros = micros;
  };
  let isFiltered = false;
  for (const conjunct of conjuncts) {
    const [value, ...others] = conjunct.kind === 'call' ? conjunct.args : [];
    const comparison = conjunct.kind === 'call' ? comparisonWithLiteral(conjunct) : null;
    if (conjunct.kind === 'call' && conjunct.fn === '$between' && isColumn(value, scan.columns.timestamp)) {
      const [low, high] = others;
      if (low?.kind === 'literal' && typeof low.value === 'bigint') atLeast(low.value);
      if (high?.kind === 'literal' && typeof high.value === 'bigint') atMost(high.value);
    } else if (conjunct.kind === 'call' && conjunct.fn === '$in' && isProjectOf(value, scan)) {
      const named = textsOf(others);
      if (named !== null) oneOf(named);
    } else if (
      comparison?.fn === '$eq' &&
      typeof comparison.bound === 'string' &&
      isProjectOf(comparison.value, scan)
    ) {
      oneOf([comparison.bound]);
    } else if (typeof comparison?.bound === 'bigint' && isColumn(comparison.value, scan.columns.timestamp)) {
      const { fn, bound } = comparison;
      if (fn === '$gt') atLeast(bound + 1n);
      if (fn === '$ge' || fn === '$eq') atLeast(bound);
      if (fn === '$lt') atMost(bound - 1n);
      if (fn === '$le' || fn === '$eq') atMost(bound);
    } else {
      isFiltered = true;
    }
  }
  return { scan, projects, fromMicros, toMicros, isFiltered };
}

/** The values of candidates that are all text or NULL, which equals nothing; null where one is anything else. */
function textsOf(candidates: CallExpr['args']): readonly string[] | null {
  const texts: string[] = [];
  for (const candidate of candidates) {
    if (candidate.kind !== 'literal') return null;
    if (typeof candidate.value === 'string') texts.push(candidate.value);
    else if (candidate.value !== null) return null;
  }
  return texts;
}

const flipped = { $eq: '$eq', $lt: '$gt', $le: '$ge', $gt: '$lt', $ge: '$le' } as const;

function comparisonWithLiteral(
  call: CallExpr,
): { value: Expr; fn: keyof typeof flipped; bound: string | bigint } | null {
  const fn = call.fn;
  if (fn !== '$eq' && fn !== '$lt' && fn !== '$le' && fn !== '$gt' && fn !== '$ge') return null;
  const [left, right] = call.args;
  if (left === undefined || right === undefined || left.kind === 'part' || right.kind === 'part') return null;
  if (right.kind === 'literal' && (typeof right.value === 'string' || typeof right.value === 'bigint')) {
    return { value: left, fn, bound: right.value };
  }
  if (left.kind === 'literal' && (typeof left.value === 'string' || typeof left.value === 'bigint')) {
    return { value: right, fn: flipped[fn], bound: left.value };
  }
  return null;
}

function isColumn(expr: unknown, column: Column): boolean {
  const candidate = expr as Expr | undefined;
  return candidate?.kind === 'column' && candidate.column === column;
}

/** Whether the expression is the stream's matching field: ingestion keeps it equal to the project column. */
export function isProjectOf(expr: CallArgument | undefined, scan: ScanRelation): boolean {
  if (isColumn(expr, scan.columns.project)) return true;
  const field = scan.source.projectField;
  return (
    field.kind === 'metadata' &&
    expr?.kind === 'pathRead' &&
    expr.wanted === 'STRING' &&
    expr.path.length === 1 &&
    expr.path[0] === field.member &&
    isMetadataOf(expr.base, scan)
  );
}

function isMetadataOf(expr: Expr, scan: ScanRelation): boolean {
  if (isColumn(expr, scan.columns.metadata)) return true;
  return expr.kind === 'pathRead' && expr.path.length === 0 && expr.wanted === 'JSON' && isMetadataOf(expr.base, scan);
}
