import { type Mapper, mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Computed, Expr, Relation, WithTable } from '../../../googlesql/resolve/tree.ts';
import type { Block } from './block.ts';
import type { Cell } from './cells.ts';
import type { Fetch, FetchedColumn, Transport } from './fetch.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';

/** A statement, and the relation that has its rows in the rest of the query. */
export interface WrittenFetch {
  readonly fetch: Fetch;
  readonly relation: Relation;
}

export interface FetchNames {
  newColumn(like: Column): Column;
  newTableId(): number;
}

/** Writes the SELECT of a block. `wanted` are the columns that the rest of the query reads. */
export function writeFetch(
  block: Block,
  pushed: Relation,
  wanted: ReadonlySet<Column>,
  names: FetchNames,
): WrittenFetch {
  const needed = new Set([...wanted, ...block.sort.flatMap(({ expr }) => columnsIn(expr))]);
  const { stored, computed } = outputsOf(block, needed);
  const columns: FetchedColumn[] = [];
  const items: string[] = [];
  for (const column of stored) {
    const written = outputOf(column, cellAt(block, column), block);
    const name = `out_${columns.length}`;
    columns.push({ column: names.newColumn(column), name, transport: written.transport, personal: written.personal });
    items.push(`${written.sql} AS ${name}`);
  }
  if (items.length === 0) {
    // A table has at least one column.
    columns.push({ column: names.newColumn(oneColumn), name: 'out_0', transport: 'plain', personal: null });
    items.push('toInt64(1) AS out_0');
  }
  const check = checkColumn(block);
  if (check !== null) items.push(`${check} AS out_check`);
  const table: WithTable = {
    id: names.newTableId(),
    name: block.context.scan.source.name,
    relation: { kind: 'oneRow' },
    columns: columns.map(({ column }) => column),
  };
  const fetch: Fetch = {
    table,
    pushed,
    columns,
    sql: selectText(block, items, check),
    scan: block.context.scan,
    checks: block.checks.map((each) => each.check),
    trusted: block.context.trusted,
    readsJson: block.context.readsJson,
    isTotal: block.group?.length === 0,
    rowsMax: block.limit?.count == null ? null : Number(block.limit.count),
  };
  return { fetch, relation: restOf(block, table, stored, computed, needed) };
}

const oneColumn: Column = { id: 0, name: 'one', type: { kind: 'INT64' } };

function cellAt(block: Block, column: Column): Cell {
  return block.cells.get(column) ?? notPushed('a column of another part of the query');
}

/** The wanted columns that the rest computes, and the columns to fetch. */
function outputsOf(block: Block, wanted: ReadonlySet<Column>) {
  const stored = new Set<Column>();
  const computed: Computed[] = [];
  const { metadata } = block.context.scan.columns;
  const base: Expr = { kind: 'column', type: metadata.type, column: metadata };
  /** The expression over stored columns only. */
  const resolved: Mapper = {
    relation: () => notPushed('a subquery'),
    expr: (expr) => {
      if (expr.kind !== 'column') return mapExpr(expr, resolved);
      const cell = cellAt(block, expr.column);
      if (cell.kind === 'deferred') return resolved.expr(cell.expr);
      if (cell.kind !== 'json' || cell.path.length === 0) {
        stored.add(cell.kind === 'json' ? metadata : expr.column);
        return cell.kind === 'json' ? base : expr;
      }
      stored.add(metadata);
      return { kind: 'pathRead', type: expr.type, base, path: cell.path, wanted: 'JSON' };
    },
  };
  for (const column of wanted) {
    const expr = resolved.expr({ kind: 'column', type: column.type, column });
    if (expr.kind !== 'column' || expr.column !== column) computed.push({ column, expr });
  }
  return { stored: [...stored], computed };
}

function outputOf(
  column: Column,
  cell: Cell,
  { context }: Block,
): Omit<FetchedColumn, 'column' | 'name'> & { sql: string } {
  switch (cell.kind) {
    case 'value':
      return {
        sql: `CAST(${cell.sql}, 'Nullable(${engineType(column.type)})')`,
        transport: transportOf(column),
        personal: cell.personal ?? null,
      };
    case 'sealed':
      return { sql: cell.sql, transport: 'plain', personal: cell.personal };
    case 'scalar':
      return { sql: cell.sql, transport: 'scalar', personal: null };
    case 'json':
      return { sql: context.table.columns.metadata, transport: 'json', personal: ['metadata'] };
    case 'deferred':
      throw new Error('a deferred column is not fetched');
  }
}

function transportOf({ type }: Column): Transport {
  switch (type.kind) {
    case 'TIMESTAMP':
    case 'DATETIME':
    case 'TIME':
      return 'micros';
    case 'DATE':
      return 'days';
    default:
      return 'plain';
  }
}

/** The number of the first check that a group fails. */
function checkColumn({ checks }: Block): string | null {
  if (checks.length === 0) return null;
  const branches = checks.map(({ sql }, i) => `${sql}, ${i + 1}`);
  return `toInt64(multiIf(${branches.join(', ')}, 0))`;
}

function selectText(block: Block, items: readonly string[], check: string | null): string {
  const { table } = block.context;
  const where = [...table.conditions, ...block.where];
  const having = block.having.length === 0 ? '' : block.having.join(' AND ');
  // A group that fails a check decides the answer, whatever else the query asks for.
  const kept = check === null || having === '' ? having : `${check} != 0 OR (${having})`;
  const order = check === null || block.limit === null ? block.order : [`${check} DESC`, ...block.order];
  return [
    `SELECT ${items.join(', ')}`,
    `FROM ${table.from}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(block.group === null || block.group.length === 0 ? [] : [`GROUP BY ${block.group.join(', ')}`]),
    ...(kept === '' ? [] : [`HAVING ${kept}`]),
    ...(order.length === 0 || block.limit === null ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...limitText(block),
  ].join('\n');
}

function limitText({ limit }: Block): readonly string[] {
  if (limit === null) return [];
  const offset = limit.offset === 0n ? '' : ` OFFSET ${limit.offset}`;
  return limit.count === null ? (offset === '' ? [] : [offset.trim()]) : [`LIMIT ${limit.count}${offset}`];
}

/** The table of the fetch, with exactly the wanted columns, and those of the keys if it is sorted. */
function restOf(
  block: Block,
  table: WithTable,
  stored: readonly Column[],
  computed: readonly Computed[],
  wanted: ReadonlySet<Column>,
): Relation {
  const columns = stored.length === 0 ? table.columns : stored;
  const reference: Relation = { kind: 'withReference', table, columns };
  const passed = stored.flatMap((column) =>
    wanted.has(column) ? [{ column, expr: { kind: 'column', type: column.type, column } as const }] : [],
  );
  const all: Relation =
    computed.length === 0 ? reference : { kind: 'project', input: reference, items: [...passed, ...computed] };
  return block.sort.length === 0 ? all : { kind: 'sort', input: all, keys: block.sort };
}

export function columnsIn(expr: Expr): readonly Column[] {
  const found: Column[] = [];
  const mapper: Mapper = {
    relation: (relation) => relation,
    expr: (below) => {
      if (below.kind === 'column') found.push(below.column);
      return mapExpr(below, mapper);
    },
  };
  mapper.expr(expr);
  return found;
}
