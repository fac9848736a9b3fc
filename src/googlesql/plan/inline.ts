import type { EngineLimits } from '../engineLimits.ts';
import { holdsSubquery } from '../resolve/holdsSubquery.ts';
import { type Mapper, mapExpr, mapRelation, outputColumns, walkRelation } from '../resolve/traverse.ts';
import type { Column, Computed, Expr, JoinRelation, Relation, WithTable } from '../resolve/tree.ts';
import { checkJoinSizes } from './joinSize.ts';

/** Makes a column with an id that is unique in the query. */
export type NewColumn = (like: Column) => Column;

/**
 * Inlines WITH tables and removes projections that only rename columns or read members, so that filters and path reads of
 * the outermost query reach the scan. Tables that are read more than once and cost more than a scan stay shared; unused
 * tables are removed. Throws `sql.too_complex` if that puts too many tables into one join.
 */
export function inlineTables(
  relation: Relation,
  newColumn: NewColumn,
  limits: EngineLimits,
): { relation: Relation; resolve: Resolve } {
  const placed = placeTables(relation, newColumn);
  checkJoinSizes(placed, limits);
  return collapse(placed, newColumn);
}

/** Rewrites an expression over the original columns to the columns of the inlined query. */
export type Resolve = (expr: Expr) => Expr;

function placeTables(root: Relation, newColumn: NewColumn): Relation {
  const tables = new Map<number, WithTable>();
  walkRelation(root, {
    relation: (relation) => {
      if (relation.kind === 'with') for (const table of relation.tables) tables.set(table.id, table);
    },
  });
  const reads = countReads(root, tables);
  const shared = new Map<number, WithTable>();
  const mapper: Mapper = {
    expr: (expr) => mapExpr(expr, mapper),
    relation: (relation) => {
      if (relation.kind === 'with') return mapper.relation(relation.body);
      if (relation.kind !== 'withReference') return mapRelation(relation, mapper);
      const table = tables.get(relation.table.id);
      if (table === undefined) throw new Error('a WITH table is read outside its scope');
      const isReadOnce = reads.get(table.id) === 1;
      const body = sharedBody(table);
      if (!isReadOnce && !isSimple(body)) return relation;
      const placed = isReadOnce ? body : copy(body, newColumn);
      const sources = outputColumns(placed);
      return {
        kind: 'project',
        input: placed,
        items: relation.columns.map((column, i) => {
          const source = sources[i];
          if (source === undefined) throw new Error('a WITH table has fewer columns than its reader expects');
          return { column, expr: { kind: 'column', type: column.type, column: source } };
        }),
      };
    },
  };
  const sharedBody = (table: WithTable): Relation => {
    const known = shared.get(table.id);
    if (known !== undefined) return known.relation;
    const placed = mapper.relation(table.relation);
    shared.set(table.id, { ...table, relation: placed });
    return placed;
  };
  const body = mapper.relation(root);
  // Insertion order is completion order, so a table comes after those that it reads.
  const remaining: WithTable[] = [];
  const isRead = new Set<number>();
  const note = (relation: Relation): void =>
    walkRelation(relation, {
      relation: (below) => {
        if (below.kind !== 'withReference' || isRead.has(below.table.id)) return;
        isRead.add(below.table.id);
        const table = shared.get(below.table.id);
        if (table !== undefined) note(table.relation);
      },
    });
  note(body);
  for (const table of shared.values()) if (isRead.has(table.id)) remaining.push(table);
  return remaining.length === 0 ? body : { kind: 'with', tables: remaining, body };
}

/** How often each table is read by relations that the query reaches. */
function countReads(root: Relation, tables: ReadonlyMap<number, WithTable>): ReadonlyMap<number, number> {
  const reads = new Map<number, number>();
  const visitBody = (relation: Relation): void => {
    const mapper: Mapper = {
      expr: (expr) => mapExpr(expr, mapper),
      relation: (below) => {
        if (below.kind === 'with') {
          mapper.relation(below.body);
          return below;
        }
        if (below.kind === 'withReference') {
          const before = reads.get(below.table.id) ?? 0;
          reads.set(below.table.id, before + 1);
          const table = tables.get(below.table.id);
          if (before === 0 && table !== undefined) visitBody(table.relation);
          return below;
        }
        return mapRelation(below, mapper);
      },
    };
    mapper.relation(relation);
  };
  visitBody(root);
  return reads;
}

/** Whether reading the relation twice costs no more than scanning twice. */
function isSimple(relation: Relation): boolean {
  switch (relation.kind) {
    case 'scan':
    case 'oneRow':
      return true;
    case 'filter':
      return isSimple(relation.input) && !holdsSubquery(relation.condition);
    case 'project':
      return isSimple(relation.input) && relation.items.every((item) => isTransparent(item.expr));
    case 'unnestRecord':
      return isSimple(relation.input);
    default:
      return false;
  }
}

/** A copy with new columns, so that a table can be read twice in one query. */
function copy(relation: Relation, newColumn: NewColumn): Relation {
  const fresh = new Map<Column, Column>();
  const renew = (column: Column): Column => {
    const known = fresh.get(column);
    if (known !== undefined) return known;
    const made = newColumn(column);
    fresh.set(column, made);
    return made;
  };
  const mapper: Mapper = {
    expr: (expr) => {
      if (expr.kind === 'column') {
        const made = fresh.get(expr.column);
        return made === undefined ? expr : { ...expr, column: made };
      }
      return mapExpr(expr, mapper);
    },
    relation: (below) => {
      const mapped = mapRelation(below, mapper);
      switch (mapped.kind) {
        case 'scan': {
          const { id, timestamp, event_message, metadata, project } = mapped.columns;
          return {
            ...mapped,
            ...(mapped.arrival === undefined ? {} : { arrival: renew(mapped.arrival) }),
            columns: {
              id: renew(id),
              timestamp: renew(timestamp),
              event_message: renew(event_message),
              metadata: renew(metadata),
              project: renew(project),
            },
          };
        }
        case 'project':
          return { ...mapped, items: mapped.items.map((item) => ({ ...item, column: renew(item.column) })) };
        case 'unnestRecord':
          return { ...mapped, alias: renew(mapped.alias), offset: mapped.offset && renew(mapped.offset) };
        default:
          return mapped;
      }
    },
  };
  return mapper.relation(relation);
}

/** Whether it only renames a column or reads a member of it, so that it is NULL in unmatched rows of an outer join. */
export function isTransparent(expr: Expr): boolean {
  if (expr.kind === 'column') return true;
  return expr.kind === 'pathRead' && isTransparent(expr.base);
}

/** Whether it can be copied to each use at no cost. A literal must stay below an outer join, which makes it NULL. */
function isFree(expr: Expr, isBelowOuterJoin: boolean): boolean {
  return isTransparent(expr) || (!isBelowOuterJoin && expr.kind === 'literal');
}

type PathRead = Extract<Expr, { kind: 'pathRead' }>;

/** A nested value in a projection that must stay. Its members are read in the same projection. */
interface Carried {
  readonly expr: Expr;
  /** The items of the projection, and the column of each member that they read. */
  readonly items: Computed[];
  readonly reads: Map<string, Column>;
}

/**
 * Removes projections that cost nothing, and moves path reads into the lowest projection with their base, so that they
 * reach the scan.
 */
function collapse(root: Relation, newColumn: NewColumn): { relation: Relation; resolve: Resolve } {
  /** The expressions for the columns of removed projections. */
  const substitution = new Map<Column, Expr>();
  const carried = new Map<Column, Carried>();
  /** Moves a member read to the projection of its base; returns the read itself if there is none. */
  const readBelow = (read: PathRead): Expr => {
    const from = read.base.kind === 'column' ? carried.get(read.base.column) : undefined;
    if (from === undefined || (read.path.length === 0 && read.wanted === 'JSON')) return read;
    const key = `${read.wanted} ${JSON.stringify(read.path)}`;
    const known = from.reads.get(key);
    if (known !== undefined) return { kind: 'column', type: known.type, column: known };
    const below = joinPaths({ ...read, base: from.expr });
    const column = newColumn({ id: 0, name: read.path.at(-1) ?? '', type: read.type });
    carry({ column, expr: below.kind === 'pathRead' ? readBelow(below) : below }, from.items);
    from.reads.set(key, column);
    return { kind: 'column', type: column.type, column };
  };
  const carry = (item: Computed, items: Computed[]): void => {
    items.push(item);
    if (item.column.type.kind === 'JSON' && isTransparent(item.expr)) {
      carried.set(item.column, { expr: item.expr, items, reads: new Map() });
    }
  };
  const build = (isBelowOuterJoin: boolean, keepsTop: boolean): Mapper => {
    const mapper: Mapper = {
      expr: (expr) => {
        if (expr.kind === 'column') return substitution.get(expr.column) ?? expr;
        if (expr.kind === 'subquery' || expr.kind === 'inSubquery') {
          const inner = build(false, true);
          const query = inner.relation(expr.query);
          return expr.kind === 'subquery' ? { ...expr, query } : { ...expr, query, value: mapper.expr(expr.value) };
        }
        const mapped = mapExpr(expr, mapper);
        if (mapped.kind !== 'pathRead') return mapped;
        const joined = joinPaths(mapped);
        return joined.kind === 'pathRead' ? readBelow(joined) : joined;
      },
      relation: (relation) => {
        const below = build(isBelowOuterJoin, false);
        switch (relation.kind) {
          case 'project': {
            const input = below.relation(relation.input);
            const items = relation.items.map((item) => ({ column: item.column, expr: mapper.expr(item.expr) }));
            if (keepsTop || !items.every((item) => isFree(item.expr, isBelowOuterJoin))) {
              const kept: Computed[] = [];
              for (const item of items) carry(item, kept);
              return { ...relation, input, items: kept };
            }
            for (const item of items) substitution.set(item.column, item.expr);
            return input;
          }
          case 'join': {
            const left = build(isBelowOuterJoin || relation.type === 'right' || relation.type === 'full', false);
            const right = build(isBelowOuterJoin || relation.type === 'left' || relation.type === 'full', false);
            const l = left.relation(relation.left);
            const r = right.relation(relation.right);
            return withoutOneRow({ ...relation, left: l, right: r, on: relation.on && mapper.expr(relation.on) });
          }
          case 'setOperation': {
            const arm = build(false, true);
            return {
              ...relation,
              inputs: relation.inputs.map((input) => ({ ...input, relation: arm.relation(input.relation) })),
            };
          }
          case 'with': {
            const table = build(false, true);
            const tables = relation.tables.map((t) => ({ ...t, relation: table.relation(t.relation) }));
            return { ...relation, tables, body: build(isBelowOuterJoin, keepsTop).relation(relation.body) };
          }
          case 'distinct': {
            // DISTINCT compares the columns of the projection, so it must stay and get no more columns.
            const input = build(isBelowOuterJoin, true).relation(relation.input);
            for (const column of outputColumns(input)) carried.delete(column);
            return { ...relation, input };
          }
          case 'aggregate': {
            // ROLLUP also adds rows with NULLs, so two keys with the same literal stay separate.
            const input = build(isBelowOuterJoin || relation.rollup, false);
            return mapRelation(relation, { expr: mapper.expr, relation: input.relation });
          }
          case 'filter':
          case 'sort':
          case 'limit':
          case 'window':
            return mapRelation(relation, {
              expr: mapper.expr,
              relation: build(isBelowOuterJoin, keepsTop).relation,
            });
          default:
            return mapRelation(relation, { expr: mapper.expr, relation: below.relation });
        }
      },
    };
    return mapper;
  };
  const relation = build(false, false).relation(root);
  return { relation, resolve: build(false, false).expr };
}

/** Removes a join with one row without columns, which changes nothing. */
function withoutOneRow(join: JoinRelation): Relation {
  const { type, left, right, on } = join;
  if (type !== 'inner' || (left.kind !== 'oneRow' && right.kind !== 'oneRow')) return join;
  const input = left.kind === 'oneRow' ? right : left;
  return on === null ? input : { kind: 'filter', input, condition: on };
}

/** Merges a read of a member of a read member into one longer read. */
function joinPaths(expr: PathRead): Expr {
  const base = expr.base;
  if (base.kind !== 'pathRead' || base.wanted !== 'JSON') return expr;
  return { ...expr, base: base.base, path: [...base.path, ...expr.path] };
}
