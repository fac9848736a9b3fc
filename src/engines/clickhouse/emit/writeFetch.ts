import { type Mapper, mapExpr } from '../../../googlesql/resolve/traverse.ts';
import type { Column, Computed, Expr, Relation, WithTable } from '../../../googlesql/resolve/tree.ts';
import { INT64 } from '../../../googlesql/types.ts';
import type { GroupCheck } from './aggregates.ts';
import { scansOf } from './block.ts';
import type { Block } from './blocks.ts';
import type { Cell, JsonCell, ScalarCell } from './cells.ts';
import { checkOf } from './checkColumn.ts';
import type { Fetch, FetchedColumn } from './fetch.ts';
import { returnedMember } from './jsonRead.ts';
import { attempted, notPushed } from './notPushed.ts';
import { outputOf } from './outputOf.ts';
import { checkName, eventsOfRow, selectText, skipsInRest } from './selectText.ts';

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
  const { stored, computed, members } = outputsOf(block, needed);
  const columns: FetchedColumn[] = [];
  const items: string[] = [];
  let chars = 0;
  for (const column of stored) {
    const written = outputOf(column, members.get(column)?.cell ?? cellAt(block, column));
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
  const returned = [...members.values()].map(({ check }) => check);
  const checked = { ...block, checks: [...block.checks, ...returned] };
  const check = checkOf(checked);
  if (check.sql !== null) items.push(`${check.sql} AS ${checkName}`);
  const [first, ...others] = scansOf(block.source);
  if (first === undefined) throw new Error('a SELECT reads no scan');
  const events = eventsOfRow(block);
  if (events !== null) items.push(`${events} AS out_events`);
  const table: WithTable = {
    id: names.newTableId(),
    name: first.scan.source.name,
    relation: { kind: 'oneRow' },
    columns: columns.map(({ column }) => column),
  };
  const sql = selectText(block, items, check);
  const fetch: Fetch = {
    table,
    pushed,
    columns,
    sql,
    scan: first.scan,
    others: others.map(({ scan }) => scan),
    checks: check.checks,
    countsEvents: events !== null,
    order: block.sort.length === 0 || block.limit === null ? null : block.sort,
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

/** More rows are not fetched again if a member of one is an object. */
const memberRowsMax = 100_000n;

interface ReturnedMember {
  readonly cell: ScalarCell;
  readonly check: GroupCheck;
}

/** A member of the first rows, without the rest of their events; null if only the rest reads it. */
function memberOf({ group, limit }: Block, cell: JsonCell): ReturnedMember | null {
  if (group !== null || limit?.count == null || limit.count > memberRowsMax || cell.path.length === 0) return null;
  const written = attempted(() => returnedMember(cell));
  if ('reason' in written) return null;
  const { sql, isOther } = written.value;
  return { cell: { kind: 'scalar', sql }, check: { sql: isOther, check: { kind: 'inexact', part: 'members' } } };
}

/** The wanted columns that the rest computes, and the columns to fetch. Members come with metadata if that is fetched anyway. */
function outputsOf(block: Block, wanted: ReadonlySet<Column>) {
  const outputs = outputsWith(block, wanted, memberOf);
  const hasMetadata = outputs.stored.some((column) => !outputs.members.has(column) && isJson(block, column));
  return hasMetadata && outputs.members.size > 0 ? outputsWith(block, wanted, () => null) : outputs;
}

const isJson = ({ cells }: Block, column: Column): boolean => cells.get(column)?.kind === 'json';

function outputsWith(block: Block, wanted: ReadonlySet<Column>, memberIn: typeof memberOf) {
  const members = new Map<Column, ReturnedMember>();
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
    const cell = cellAt(block, column);
    const member = cell.kind === 'json' ? memberIn(block, cell) : null;
    if (member !== null) {
      members.set(column, member);
      stored.add(column);
      continue;
    }
    const expr = resolved.expr({ kind: 'column', type: column.type, column });
    if (expr.kind !== 'column' || expr.column !== column) computed.push({ column, expr });
  }
  return { stored: [...stored], computed, members };
}

function withoutFirst(input: Relation, limit: Block['limit']): Relation {
  const count = (value: bigint): Expr => ({ kind: 'literal', type: INT64, value });
  return {
    kind: 'limit',
    input,
    limit: limit?.count == null ? null : count(limit.count),
    offset: count(limit?.offset ?? 0n),
  };
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
