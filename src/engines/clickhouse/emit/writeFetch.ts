import { type Mapper, mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Computed, Expr, Relation, ScanRelation, WithTable } from '../../../googlesql/resolve/tree.ts';
import { INT64 } from '../../../googlesql/types.ts';
import type { Block, Join, JoinSide } from './blocks.ts';
import type { Cell } from './cells.ts';
import { type CheckColumn, checkOf, contextOf, irregularOf } from './checkColumn.ts';
import type { Fetch, FetchedColumn, Transport } from './fetch.ts';
import { isJoin, outputsRead } from './join.ts';
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

/** ClickHouse reads statements of up to 256 KiB, with the name of the format (`max_query_size`). */
const statementBytesMax = 250_000;
const tooLong = 'a statement of more than 250 KB';

/** Writes the SELECT of a block. `wanted` are the columns that the rest of the query reads. Throws `NotPushed` if it is too long. */
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
  let chars = 0;
  for (const column of stored) {
    const written = outputOf(column, cellAt(block, column));
    const name = `out_${columns.length}`;
    columns.push({ column: names.newColumn(column), name, transport: written.transport, personal: written.personal });
    items.push(`${written.sql} AS ${name}`);
    chars += written.sql.length;
    if (chars > statementBytesMax) notPushed(tooLong);
  }
  if (items.length === 0) {
    // A table has at least one column.
    columns.push({ column: names.newColumn(oneColumn), name: 'out_0', transport: 'plain', personal: null });
    items.push('toInt64(1) AS out_0');
  }
  const check = checkOf(block);
  if (check.sql !== null) items.push(`${check.sql} AS ${checkName}`);
  const [scan, joined = null] = scansOf(block);
  const countsEvents = block.group !== null || joined !== null;
  if (countsEvents) items.push(`${eventsOf(block)} AS out_events`);
  const table: WithTable = {
    id: names.newTableId(),
    name: scan.source.name,
    relation: { kind: 'oneRow' },
    columns: columns.map(({ column }) => column),
  };
  const sql = selectText(block, items, check);
  const fetch: Fetch = {
    table,
    pushed,
    columns,
    sql,
    scan,
    joined,
    checks: check.checks,
    countsEvents,
    isOrdered: block.sort.length === 0 || block.limit !== null,
    rowsMax: block.limit?.count == null ? null : Number(block.limit.count),
  };
  if (Buffer.byteLength(sql) > statementBytesMax) notPushed(tooLong);
  const rest = restOf(block, table, stored, computed, needed);
  return { fetch, relation: skipsInRest(block, check) ? withoutFirst(rest, block.limit) : rest };
}

const oneColumn: Column = { id: 0, name: 'one', type: { kind: 'INT64' } };

function cellAt(block: Block, column: Column): Cell {
  return block.cells.get(column) ?? notPushed('a column of another part of the query');
}

/** The first one names the rows. */
function scansOf({ source }: Block): readonly [ScanRelation, ScanRelation?] {
  if (!isJoin(source)) return [source.scan];
  return [contextOf(source.left.block).scan, contextOf(source.right.block).scan];
}

/** The number of events that a row stands for: two in each pair. */
function eventsOf({ source, group }: Block): string {
  if (!isJoin(source)) return 'toInt64(count())';
  return group === null ? 'toInt64(2)' : 'toInt64(2 * count())';
}

/** The wanted columns that the rest computes, and the columns to fetch. */
function outputsOf(block: Block, wanted: ReadonlySet<Column>) {
  const stored = new Set<Column>();
  const computed: Computed[] = [];
  /** The expression over stored columns only. */
  const resolved: Mapper = {
    relation: () => notPushed('a subquery'),
    expr: (expr) => {
      if (expr.kind !== 'column') return mapExpr(expr, resolved);
      const cell = cellAt(block, expr.column);
      if (cell.kind === 'deferred') return resolved.expr(cell.expr);
      if (cell.kind !== 'json') {
        stored.add(expr.column);
        return expr;
      }
      const { metadata } = cell.context.scan.columns;
      const base: Expr = { kind: 'column', type: metadata.type, column: metadata };
      stored.add(metadata);
      if (cell.path.length === 0) return base;
      return { kind: 'pathRead', type: expr.type, base, path: cell.path, wanted: 'JSON' };
    },
  };
  for (const column of wanted) {
    const expr = resolved.expr({ kind: 'column', type: column.type, column });
    if (expr.kind !== 'column' || expr.column !== column) computed.push({ column, expr });
  }
  return { stored: [...stored], computed };
}

function outputOf(column: Column, cell: Cell): Omit<FetchedColumn, 'column' | 'name'> & { sql: string } {
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
      return { sql: cell.lift(cell.context.table.columns.metadata), transport: 'json', personal: ['metadata'] };
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

/** No column of a table has such a name. */
const checkName = 'out_check';

/** Rows that OFFSET leaves out may fail a check too, so they come back. */
const skipsInRest = ({ limit }: Block, { sql }: CheckColumn): boolean =>
  sql !== null && limit !== null && limit.offset > 0n;

function withoutFirst(input: Relation, limit: Block['limit']): Relation {
  const count = (value: bigint): Expr => ({ kind: 'literal', type: INT64, value });
  return {
    kind: 'limit',
    input,
    limit: limit?.count == null ? null : count(limit.count),
    offset: count(limit?.offset ?? 0n),
  };
}

function selectText(block: Block, items: readonly string[], check: CheckColumn): string {
  const { source, group } = block;
  const having = block.having.length === 0 ? '' : block.having.join(' AND ');
  // A group that fails a check decides the answer, whatever else the query asks for.
  const kept = check.sql === null || having === '' ? having : `${checkName} != 0 OR (${having})`;
  const order = failedFirst(block, check) ? [`${checkName} DESC`, ...block.order] : block.order;
  const select = `SELECT ${items.join(', ')}`;
  const below = [
    ...whereText(block, check.isFailed),
    ...(group === null || group.length === 0 ? [] : [`GROUP BY ${group.join(', ')}`]),
    ...(kept === '' ? [] : [`HAVING ${kept}`]),
    ...(order.length === 0 || block.limit === null ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...limitText(block, check),
  ];
  const from = isJoin(source) ? joinText(source, check.isFailed, [select, ...below].join('\n')) : source.table.from;
  return [select, `FROM ${from}`, ...below].join('\n');
}

/** WHERE with all conditions, none of which leaves out an event that fails a check, because the check must see it. */
function whereText({ source, where }: Block, isFailed: string | null): readonly string[] {
  const ofMembers = isFailed === null ? [] : where.filter(({ readsMembers }) => readsMembers);
  const others = where.filter((each) => !ofMembers.includes(each)).map(({ sql }) => sql);
  const unlessFailed = ofMembers.map(({ sql }) => sql).join(' AND ');
  const filters = ofMembers.length === 0 ? others : [...others, `((${unlessFailed}) OR ${isFailed})`];
  const first = !isJoin(source)
    ? source.table.conditions
    : isFailed === null
      ? []
      : [`(${isMatched(source)} OR ${isFailed})`];
  const all = [...first, ...filters];
  return all.length === 0 ? [] : [`WHERE ${all.join(' AND ')}`];
}

/** A row of a FULL JOIN without a match has no outputs of the other side. */
function isMatched({ keys }: Join): string {
  const [first] = keys;
  return first === undefined ? '1' : `(isNotNull(${first.left}) AND isNotNull(${first.right}))`;
}

/** `above`: the SQL that reads the joined rows. With checks, events without a match stay, because one may fail. */
function joinText({ left, right, keys }: Join, isFailed: string | null, above: string): string {
  const on = keys.map((key) => `${key.left} = ${key.right}`).join(' AND ');
  const sideText = (side: JoinSide): string => {
    const { block, alias } = side;
    const context = contextOf(block);
    const outputs = outputsRead(side, `${above}\n${on}`).join(', ');
    const select = [`SELECT ${outputs}`, `FROM ${context.table.from}`, ...whereText(block, irregularOf(context))];
    return `(${select.join('\n')}) AS ${alias}`;
  };
  return [sideText(left), `${isFailed === null ? 'INNER' : 'FULL'} JOIN ${sideText(right)}`, `ON ${on}`].join('\n');
}

/**
 * Whether rows that fail a check come before all others, so that LIMIT keeps them. Events need not if the order and its
 * place in it are those of any event: one after the limit does not belong to the answer, and one before it is checked.
 */
function failedFirst({ group, limit, ordersByMembers }: Block, { sql }: CheckColumn): boolean {
  return sql !== null && limit !== null && (group !== null || ordersByMembers);
}

function limitText(block: Block, check: CheckColumn): readonly string[] {
  const { limit } = block;
  if (limit === null) return [];
  if (skipsInRest(block, check)) return limit.count === null ? [] : [`LIMIT ${limit.count + limit.offset}`];
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
