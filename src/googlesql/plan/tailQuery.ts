import { type Mapper, mapExpr, mapRelation, walkRelation } from '../resolve/traverse.ts';
import type { Expr, Notice, Relation, ResolvedQuery } from '../resolve/tree.ts';
import { distinguishByArrival } from './arrivalOrder.ts';
import { around, firstPageId, topOf, withArrivals } from './pageQuery.ts';
import { setOperationName, volatileConstruct, withoutArrival } from './pageRefusal.ts';
import { columnsAfter } from './queryPlan.ts';

/** A query each of whose rows stems from one event, so that new events only ever add rows. */
export interface TailedQuery {
  /** Its rows are in the order of arrival; `pageKeys` is the arrival number of a row's event. */
  readonly query: ResolvedQuery;
  /** Names of the sources that it reads. */
  readonly sources: ReadonlySet<string>;
  /** What of the query does not apply to a tail. */
  readonly notices: readonly Notice[];
}

/** Why a query cannot be tailed: the construct, as its author knows it. */
export interface TailRefusal {
  readonly construct: string;
}

/** Turns a query into one that gives its rows in the order of arrival. An outer ORDER BY and LIMIT is left out. */
export function tailedQuery(query: ResolvedQuery): TailedQuery | TailRefusal {
  if (query.isVolatile) return { construct: volatileConstruct };
  const { tables, rows, keys, limit, offset } = topOf(query.relation);
  const sources = new Set<string>();
  const construct = refusalOf(rows, sources);
  if (construct !== null) return { construct };
  const { newColumn } = columnsAfter(firstPageId);
  const distinct = distinguishByArrival(withArrivals(around(tables, rows), newColumn), newColumn, true);
  const order = distinct.keys(false);
  const [arrival] = order;
  if (arrival === undefined) return { construct: 'no events' };
  const isLimited = query.outerLimit !== null || query.outerLimitParameter != null;
  const hasLimit = limit !== null || offset !== null || isLimited;
  return {
    query: {
      ...query,
      relation: { kind: 'sort', input: distinct.relation, keys: order },
      outerLimit: null,
      outerLimitParameter: null,
      pageKeys: [arrival.expr],
    },
    sources,
    notices: [...(keys.length > 0 ? [orderDropped] : []), ...(hasLimit ? [limitDropped] : [])],
  };
}

const orderDropped: Notice = {
  code: 'tail.order_dropped',
  message: 'The ORDER BY of the query does not apply to a tail: rows come in the order in which their events arrive.',
};

const limitDropped: Notice = {
  code: 'tail.limit_dropped',
  message: 'The LIMIT of the query does not apply to a tail, which has no end.',
};

/** The construct of the rows that may change earlier rows, or needs more than one event; null if there is none. */
function refusalOf(relation: Relation, sources: Set<string>): string | null {
  switch (relation.kind) {
    case 'scan':
      sources.add(relation.source.name);
      return withoutArrival(relation);
    case 'filter':
    case 'project':
    case 'unnestRecord':
    case 'unnestArray':
      return subqueryOver(relation) ?? refusalOf(relation.input, sources);
    case 'sort':
      // Without a LIMIT, the order of a table has no effect.
      return refusalOf(relation.input, sources);
    case 'limit': {
      const isBarrier = relation.limit === null && isZero(relation.offset);
      return isBarrier ? refusalOf(relation.input, sources) : 'a LIMIT or OFFSET of a table or subquery';
    }
    case 'setOperation':
      if (relation.op !== 'union' || !relation.all) return setOperationName(relation);
      return relation.inputs.map((input) => refusalOf(input.relation, sources)).find((each) => each !== null) ?? null;
    case 'with':
      return refusalOf(relation.body, sources);
    case 'withReference':
      return refusalOf(relation.table.relation, sources);
    case 'join':
      return 'JOIN';
    case 'aggregate':
      return relation.keys.length > 0 ? 'GROUP BY' : 'an aggregate function';
    case 'window':
      return `the window function ${relation.calls[0]?.fn.toUpperCase() ?? ''}`;
    case 'distinct':
      return 'DISTINCT';
    case 'oneRow':
      return 'SELECT without events';
  }
}

const isZero = (expr: Expr | null): boolean => expr === null || (expr.kind === 'literal' && expr.value === 0n);

/** A subquery may read the arrays of its row, but no other events. */
function subqueryOver(
  relation: Exclude<Relation, { readonly kind: 'scan' | 'with' | 'withReference' }>,
): string | null {
  let reads = false;
  const look = (below: Relation): void => {
    reads ||= below.kind === 'scan' || below.kind === 'withReference';
  };
  const own: Mapper = {
    relation: (below) => below,
    expr: (expr) => {
      if (expr.kind === 'subquery' || expr.kind === 'inSubquery') walkRelation(expr.query, { relation: look });
      return mapExpr(expr, own);
    },
  };
  mapRelation(relation, own);
  return reads ? 'a subquery over a table' : null;
}
