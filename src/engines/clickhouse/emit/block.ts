import { conjunctsOf } from '../../../googlesql/plan/rowFacts.ts';
import { holdsSubquery } from '../../../googlesql/resolve/holdsSubquery.ts';
import { holdsVolatile } from '../../../googlesql/resolve/holdsVolatile.ts';
import { type Mapper, mapExpr, outputColumns } from '../../../googlesql/resolve/traverse.ts';
import type {
  AggregateRelation,
  Column,
  Expr,
  Relation,
  SortKey,
  UnnestRecordRelation,
  WindowCall,
} from '../../../googlesql/resolve/tree.ts';
import { emitAggregate, type GroupCheck, groupValue } from './aggregates.ts';
import type { Block, Join, Union } from './blocks.ts';
import type { Cell, Cells } from './cells.ts';
import { isCertain } from './certainConditions.ts';
import { columnsUsed } from './columnsUsed.ts';
import { ExpressionWriter } from './expressions.ts';
import { isJoin, readsOnly } from './join.ts';
import { unnestedJson } from './jsonRead.ts';
import { attempted, notPushed } from './notPushed.ts';
import { mayLeaveTimes } from './outerTimes.ts';
import type { Place } from './place.ts';
import type { ScanContext } from './scanContext.ts';
import { emitSortKeys } from './sortKeys.ts';
import { filteredArms, firstOfArms, isUnion } from './union.ts';
import { emitWindow } from './windows.ts';

export const placeOf = ({ cells, source }: Pick<Block, 'cells' | 'source'>): Place =>
  new ExpressionWriter(cells, scansOf(source));

/** The scans whose events a SELECT reads. */
export function scansOf(source: Block['source']): readonly ScanContext[] {
  if (isUnion(source)) return source.arms.flatMap(({ block }) => scansOf(block.source));
  return isJoin(source) ? [source.left, source.right].flatMap(({ block }) => scansOf(block.source)) : [source];
}

export function filtered(block: Block, condition: Expr): Block {
  if (block.limit !== null || block.isWindowed) notPushed('a filter above LIMIT or window functions');
  if (isJoin(block.source) && block.group === null) return filteredJoin(block, block.source, condition);
  if (isUnion(block.source) && block.group === null) return filteredArms(block, block.source, condition, filtered);
  const place = placeOf(block);
  if (block.group !== null) return { ...block, having: [...block.having, place.expr(condition)] };
  const { source, unnested, cells } = block;
  // Apart, so that each one that reads no members stays a condition of its own, which ClickHouse checks first.
  const added = conjunctsOf(condition).flatMap((conjunct) => {
    if (!isJoin(source) && !isUnion(source) && isCertain(conjunct, place, source.table)) return [];
    const sql = place.expr(conjunct);
    const kept = unnested.length === 0 ? sql : `(${[sql, ...unnested].join(' OR ')})`;
    return [{ sql: kept, readsMembers: unnested.length > 0 || mayReadMembers(conjunct, cells) }];
  });
  return { ...block, where: [...block.where, ...added] };
}

/** Conditions on one side belong to the SELECT of that side. */
function filteredJoin(block: Block, join: Join, condition: Expr): Block {
  let { left, right } = join;
  const where = [...block.where];
  for (const conjunct of conjunctsOf(condition)) {
    const columns = columnsUsed(conjunct);
    if (readsOnly(left, columns)) left = { ...left, block: filtered(left.block, conjunct) };
    else if (readsOnly(right, columns)) right = { ...right, block: filtered(right.block, conjunct) };
    else where.push({ sql: placeOf(block).expr(conjunct), readsMembers: true });
  }
  return { ...block, source: { ...join, left, right }, where };
}

/**
 * Whether an expression reads anything but the columns that every event has beside `metadata`, or computes from them what an
 * irregular event has not.
 */
function mayReadMembers(expr: Expr, cells: Cells): boolean {
  if (mayLeaveTimes(expr)) return true;
  return [...columnsUsed(expr)].some((column) => {
    const cell = cells.get(column);
    if (cell?.kind !== 'value') return true;
    return cell.stored === undefined && (cell.personal === undefined || cell.personal.length > 1);
  });
}

/** UNNEST of a member that is an object, which gives one row. A check of the groups finds out any other value. */
export function unnested(block: Block, unnest: UnnestRecordRelation): Block {
  if (unnest.left || unnest.on !== null || unnest.offset !== null) notPushed('LEFT JOIN UNNEST, and WITH OFFSET');
  if (block.group !== null || block.limit !== null) notPushed('UNNEST above groups or LIMIT');
  const member = placeOf(block).member(unnest.value) ?? notPushed('UNNEST of a computed value');
  if (member.context.avoid.has('unnest')) notPushed('UNNEST of arrays');
  const { hasElements, isOther } = unnestedJson(member);
  // A row with anything else fails the check, so what is read below matters only for an object.
  const objects = new Set([...(member.objects ?? []), member.path.length]);
  const cells = new Map(block.cells).set(unnest.alias, { kind: 'json', ...member, objects });
  const where = block.unnested.length === 0 ? hasElements : `(${[hasElements, ...block.unnested].join(' OR ')})`;
  return {
    ...block,
    cells,
    where: [...block.where, { sql: where, readsMembers: true }],
    unnested: [...block.unnested, isOther],
  };
}

/** Items that cannot be translated are computed by the rest, from the columns that they read. */
export function projected(block: Block, items: readonly { readonly column: Column; readonly expr: Expr }[]): Block {
  const cells = new Map(block.cells);
  for (const { column, expr } of items) cells.set(column, itemCell(block, expr));
  return { ...block, cells };
}

function itemCell(block: Block, expr: Expr): Cell {
  if (holdsSubquery(expr)) notPushed('a subquery');
  // The rest would compute it again for each use of the column.
  if (holdsVolatile(expr)) notPushed('a value that is random');
  const place = placeOf(block);
  if (expr.kind === 'column') {
    const cell = block.cells.get(expr.column);
    if (cell !== undefined) return cell;
  }
  const member = place.member(expr);
  if (member !== null && expr.type.kind === 'JSON') return { kind: 'json', ...member };
  const written = attempted(() => place.expr(expr));
  if ('value' in written) return { kind: 'value', sql: written.value, isFinite: place.isFinite(expr) };
  const size = sizeOf(expr, block.cells);
  // The rest computes it within the part that it belongs to.
  if (size > deferredSizeMax) notPushed(written.reason);
  return { kind: 'deferred', expr, reason: written.reason, size };
}

/** Larger expressions are not computed over the columns of a fetch: each use of a column would repeat its expression. */
const deferredSizeMax = 2_000;

function sizeOf(expr: Expr, cells: Cells): number {
  let size = 0;
  const mapper: Mapper = {
    relation: (relation) => relation,
    expr: (below) => {
      const cell = below.kind === 'column' ? cells.get(below.column) : undefined;
      size += cell?.kind === 'deferred' ? cell.size : 1;
      return mapExpr(below, mapper);
    },
  };
  mapper.expr(expr);
  return size;
}

export function aggregated(block: Block, aggregate: AggregateRelation): Block {
  if (block.group !== null || block.limit !== null) notPushed('an aggregation of groups, or above LIMIT');
  if (aggregate.rollup) notPushed('ROLLUP');
  const place = placeOf(block);
  const cells = new Map<Column, Cell>();
  const checks: GroupCheck[] = block.unnested.map((isOther) => ({
    sql: `max(${isOther})`,
    check: { kind: 'inexact', part: 'unnest' },
  }));
  const group = aggregate.keys.map(({ column, expr }) => {
    const key = groupValue(expr, place);
    checks.push(...key.checks);
    const isJson = expr.type.kind === 'JSON';
    cells.set(
      column,
      isJson ? { kind: 'scalar', sql: key.sql } : { kind: 'value', sql: key.sql, isFinite: place.isFinite(expr) },
    );
    return key.sql;
  });
  for (const call of aggregate.aggregates) {
    const written = emitAggregate(call, place);
    checks.push(...written.checks);
    if (written.isScalar) {
      cells.set(call.column, { kind: 'scalar', sql: written.sql });
      continue;
    }
    const isCount = call.fn === 'count' || call.fn === 'countif';
    const isGroupSize = call.fn === 'count' && call.args.length === 0 && group.length > 0;
    cells.set(call.column, {
      kind: 'value',
      sql: written.sql,
      isFinite: written.isFinite,
      ...(isCount ? { isCount } : {}),
      ...(isGroupSize ? { isGroupSize } : {}),
    });
  }
  return { ...block, cells, group, checks, sort: [] };
}

/** Window functions over groups, which ClickHouse computes after HAVING and before ORDER BY. */
export function windowed(block: Block, calls: readonly WindowCall[]): Block {
  if (block.group === null || block.limit !== null) notPushed('window functions');
  const place = placeOf(block);
  const cells = new Map(block.cells);
  for (const call of calls) cells.set(call.column, emitWindow(call, place));
  return { ...block, cells, isWindowed: true };
}

/** SELECT DISTINCT, as groups without aggregates. */
export function distinct(block: Block, input: Relation): Block {
  const keys = outputColumns(input).map((column) => ({
    column,
    expr: { kind: 'column', type: column.type, column } as const,
  }));
  return aggregated(block, { kind: 'aggregate', input, keys, rollup: false, aggregates: [] });
}

export function sorted(block: Block, keys: readonly SortKey[]): Block {
  if (block.limit !== null) notPushed('ORDER BY above LIMIT');
  return { ...block, sort: keys };
}

export function limited(block: Block, limit: { readonly count: bigint | null; readonly offset: bigint }): Block {
  if (block.limit !== null) notPushed('a LIMIT above another');
  const order = emitSortKeys(block.sort, placeOf(block));
  if (isUnion(block.source) && block.group === null) return limitedUnion({ ...block, order, limit }, block.source);
  const ordersByMembers = isJoin(block.source) || block.sort.some(({ expr }) => mayReadMembers(expr, block.cells));
  return { ...block, order, ordersByMembers, limit };
}

/** Each arm returns its own first rows. If those that fail a check come first there, they come first of all. */
function limitedUnion(block: Block, union: Union): Block {
  const { limit } = block;
  if (limit?.count == null) return block;
  const source = firstOfArms(block, union, limit.count + limit.offset, (arm, keys, count) =>
    limited(sorted(arm, keys), { count, offset: 0n }),
  );
  const ordersByMembers = source.arms.some((arm) => arm.block.group !== null || arm.block.ordersByMembers);
  return { ...block, source, ordersByMembers };
}
