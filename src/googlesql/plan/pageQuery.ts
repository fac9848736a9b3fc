import { holdsSubquery } from '../resolve/holdsSubquery.ts';
import { type Mapper, mapExpr, mapRelation, walkRelation } from '../resolve/traverse.ts';
import type { Column, Expr, Relation, ResolvedQuery, ScanRelation, SortKey, WithTable } from '../resolve/tree.ts';
import { INT64, type SqlType, typeName } from '../types.ts';
import { distinguishByArrival } from './arrivalOrder.ts';
import { columnsNeverNull } from './neverNull.ts';
import { call, isAfter, isKeyType, type KeyPlace, type PageKey, reversed, writtenKeys } from './pageKeys.ts';
import { pageRefusal } from './pageRefusal.ts';
import { columnsAfter } from './queryPlan.ts';

/** A query whose rows have a complete order, so that it can be read in pages. */
export interface PagedQuery {
  readonly query: ResolvedQuery;
  /** WITH tables around the rows, the outermost first. */
  readonly tables: readonly (readonly WithTable[])[];
  readonly rows: Relation;
  readonly keys: readonly PageKey[];
  /** The LIMIT and OFFSET of the whole: literals or parameters. */
  readonly limit: Expr | null;
  readonly offset: Expr | null;
  /** What orders the rows of a query that has no ORDER BY of its own; null if it has one. */
  readonly addedOrder: 'arrival' | 'groups' | null;
  /** Whether each page needs all rows below, because it has groups or windows. */
  readonly isRecomputed: boolean;
}

/** Why a query cannot be read in pages: the construct, as its author knows it. */
export interface PageRefusal {
  readonly construct: string;
}

/** First id of the columns that are made for pages. The resolver counts from 1, and planning from a million. */
export const firstPageId = 900_000;

/** Completes the order of a query for pages: its own keys, then the arrival of its events (decision 63). */
export function pagedQuery(query: ResolvedQuery): PagedQuery | PageRefusal {
  const { newColumn } = columnsAfter(firstPageId);
  const top = topOf(query.relation);
  const unsorted = around(top.tables, top.rows);
  const construct = pageRefusal({ ...query, relation: unsorted }, top.rows);
  if (construct !== null) return { construct };
  const bad = top.keys.find(({ expr }) => !isKeyType(expr.type) || holdsSubquery(expr));
  if (bad !== undefined) return { construct: unusableKey(bad) };
  const numbered = withArrivals(unsorted, newColumn);
  const time = top.keys.find(({ expr }) => expr.type.kind === 'TIMESTAMP' || expr.type.kind === 'DATETIME');
  const distinct = distinguishByArrival(numbered, newColumn);
  const never = columnsNeverNull(distinct.relation);
  const keys = [...top.keys, ...distinct.keys(time?.descending ?? true)].map((key): PageKey => {
    const { expr } = key;
    return { ...key, isNeverNull: expr.kind === 'column' && never.isKnown(expr.column) };
  });
  const { tables, rows } = peeled(distinct.relation, top.tables.length);
  const { limit, offset } = top;
  const isOrdered = top.keys.length > 0 || keys.length === 0;
  const addedOrder = isOrdered ? null : distinct.isByArrival ? 'arrival' : 'groups';
  return { query, tables, rows, keys, limit, offset, addedOrder, isRecomputed: needsAllRows(unsorted) };
}

const allRows: ReadonlySet<Relation['kind']> = new Set(['aggregate', 'distinct', 'window']);

function needsAllRows(relation: Relation): boolean {
  let isFound = false;
  walkRelation(relation, {
    relation: ({ kind }) => {
      isFound ||= allRows.has(kind);
    },
  });
  return isFound;
}

function unusableKey({ expr }: SortKey): string {
  if (holdsSubquery(expr)) return 'ORDER BY with a subquery';
  return `ORDER BY a value of type ${typeName(expr.type)} (cast it, for example to STRING)`;
}

/** What a page shows of a paged query. */
export interface PageAsked {
  /** Events that arrived later are not seen. */
  readonly arrivalMax: number;
  /** The most rows of the page. */
  readonly rowsMax: number;
  /** Rows to leave out first; 0 except on the first page. */
  readonly offset: number;
  /** Where the page begins, or ends: the row before or after it, or its own first or last row. Null for the first page. */
  readonly from: ({ readonly direction: 'next' | 'prev' } & KeyPlace) | null;
}

/** The query of one page, with `pageKeys`. Its rows are in the order of the whole, and one more may follow. */
export function pageQuery(paged: PagedQuery, { arrivalMax, rowsMax, offset, from }: PageAsked): ResolvedQuery {
  const { query, keys, tables, rows } = paged;
  const seen = (relation: Relation): Relation => frozen(relation, arrivalMax);
  // A query that gives one row, such as a total, has no keys.
  const sorted = (input: Relation, by: readonly PageKey[]): Relation =>
    by.length === 0 ? input : { kind: 'sort', input, keys: by.map(sortKey) };
  const input = seen(rows);
  let relation: Relation;
  if (from === null) {
    const whole = sorted(input, keys);
    relation =
      offset === 0 ? whole : { kind: 'limit', input: whole, limit: integer(rowsMax + 1), offset: integer(offset) };
  } else if (from.direction === 'next') {
    relation = sorted({ kind: 'filter', input, condition: isAfter(keys, from) }, keys);
  } else {
    const back = reversed(keys);
    const before = sorted({ kind: 'filter', input, condition: isAfter(back, from) }, back);
    relation = sorted({ kind: 'limit', input: before, limit: integer(rowsMax), offset: null }, keys);
  }
  const seenTables = tables.map((each) => each.map((table) => ({ ...table, relation: seen(table.relation) })));
  const whole = around(seenTables, relation);
  return { ...query, relation: whole, outerLimit: null, outerLimitParameter: null, pageKeys: writtenKeys(keys) };
}

const sortKey = ({ expr, descending, nulls }: PageKey): SortKey => ({ expr, descending, nulls });
const integer = (value: number): Expr => ({ kind: 'literal', type: INT64, value: BigInt(value) });

export interface Top extends Pick<PagedQuery, 'tables' | 'rows' | 'limit' | 'offset'> {
  readonly keys: readonly SortKey[];
}

/** Separates what orders and cuts the rows of the outermost query from the rows. */
export function topOf(relation: Relation): Top {
  if (relation.kind === 'with') {
    const top = topOf(relation.body);
    return { ...top, tables: [relation.tables, ...top.tables] };
  }
  if (relation.kind === 'limit') {
    const top = topOf(relation.input);
    const isCut = top.limit !== null || top.offset !== null;
    const { limit, offset } = relation;
    if (isCut || top.tables.length > 0) return { tables: [], rows: relation, limit: null, offset: null, keys: [] };
    return { ...top, limit, offset };
  }
  if (relation.kind !== 'sort') return { tables: [], rows: relation, limit: null, offset: null, keys: [] };
  return { tables: [], rows: relation.input, limit: null, offset: null, keys: relation.keys };
}

export function around(tables: PagedQuery['tables'], rows: Relation): Relation {
  return tables.reduceRight<Relation>((body, each) => ({ kind: 'with', tables: each, body }), rows);
}

/** The opposite of `around`. */
function peeled(relation: Relation, levels: number): Pick<PagedQuery, 'tables' | 'rows'> {
  if (levels === 0 || relation.kind !== 'with') return { tables: [], rows: relation };
  const { tables, rows } = peeled(relation.body, levels - 1);
  return { tables: [relation.tables, ...tables], rows };
}

/** Gives every scan its arrival numbers. */
export function withArrivals(relation: Relation, newColumn: (name: string, type: SqlType) => Column): Relation {
  const arrivals = new Map<Column, Column>();
  return mapScans(relation, (scan) => {
    const { timestamp } = scan.columns;
    const arrival = arrivals.get(timestamp) ?? newColumn('arrival', INT64);
    arrivals.set(timestamp, arrival);
    return { ...scan, arrival };
  });
}

/** The relation as it was when the event with this number was the last one. */
function frozen(relation: Relation, arrivalMax: number): Relation {
  return mapScans(relation, (scan) => {
    if (scan.arrival === undefined) throw new Error('a scan of a paged query has no arrival numbers');
    const arrival: Expr = { kind: 'column', type: INT64, column: scan.arrival };
    // Events without a number came before all that have one.
    const isSeen = call('$or', [call('$is_null', [arrival]), call('$le', [arrival, integer(arrivalMax)])]);
    return { kind: 'filter', input: scan, condition: isSeen };
  });
}

function mapScans(relation: Relation, change: (scan: ScanRelation) => Relation): Relation {
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (below) => (below.kind === 'scan' ? change(below) : mapRelation(below, mapper)),
  };
  return mapper.relation(relation);
}
