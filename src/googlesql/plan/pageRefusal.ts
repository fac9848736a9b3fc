import { outputColumns, walkRelation } from '../resolve/traverse.ts';
import type {
  AggregateCall,
  AggregateRelation,
  Column,
  Relation,
  ResolvedQuery,
  ScanRelation,
  SetOperationRelation,
  WindowCall,
} from '../resolve/tree.ts';
import { typeName } from '../types.ts';
import { isKeyType } from './pageKeys.ts';

/** What makes a query volatile (`isVolatile`). */
export const volatileConstruct = 'a function with another result at each run, such as RAND';

/**
 * Says why a query cannot be read in pages, as a construct of its text; null if it can. Every run of it must give the
 * same rows for the same events. Each row must be distinguished: by the arrivals of the events that it stems from, one of each
 * source, and its elements of arrays; or by the exact values of its group.
 */
export function pageRefusal(query: Pick<ResolvedQuery, 'relation' | 'isVolatile'>, rows: Relation): string | null {
  if (query.isVolatile) return volatileConstruct;
  const origins = new RowOrigins();
  let found: string | null = null;
  walkRelation(query.relation, {
    relation: (below) => {
      found ??= unrepeatable(below, origins);
    },
  });
  return found ?? origins.refusal(rows);
}

/**
 * What distinguishes rows, like `Tie` in arrivalOrder.ts: `event`, `offset`, or the type of a value; or the construct that
 * keeps them from being distinguished.
 */
type Origin = readonly string[] | string;

class RowOrigins {
  /** A table may be read many times. */
  readonly #known = new Map<Relation, Origin>();

  refusal(relation: Relation): string | null {
    const origin = this.#of(relation);
    return typeof origin === 'string' ? origin : null;
  }

  #of(relation: Relation): Origin {
    const known = this.#known.get(relation);
    if (known !== undefined) return known;
    const origin = this.#find(relation);
    this.#known.set(relation, origin);
    return origin;
  }

  #find(relation: Relation): Origin {
    switch (relation.kind) {
      case 'scan':
        return ['event'];
      case 'oneRow':
        return [];
      case 'filter':
      case 'project':
      case 'window':
      case 'sort':
      case 'limit':
        return this.#of(relation.input);
      case 'join': {
        const [left, right] = [this.#of(relation.left), this.#of(relation.right)];
        if (typeof left === 'string') return left;
        return typeof right === 'string' ? right : [...left, ...right];
      }
      case 'unnestRecord':
      case 'unnestArray': {
        const input = this.#of(relation.input);
        if (typeof input === 'string') return input;
        return input.length === 0 ? 'UNNEST of an array that does not belong to an event' : [...input, 'offset'];
      }
      case 'aggregate':
        return ofGroups(relation);
      case 'distinct':
        return ofValues(outputColumns(relation), 'DISTINCT');
      case 'setOperation':
        if (relation.op === 'union' && relation.all) return this.#ofArms(relation.inputs);
        return relation.all ? setOperationName(relation) : ofValues(relation.columns, setOperationName(relation));
      case 'with':
        return this.#of(relation.body);
      case 'withReference':
        return this.#of(relation.table.relation);
    }
  }

  #ofArms(arms: SetOperationRelation['inputs']): Origin {
    const origins = arms.map(({ relation }) => this.#of(relation));
    const refused = origins.find((each) => typeof each === 'string');
    if (refused !== undefined) return refused;
    const [first = []] = origins;
    if (typeof first === 'string') return first;
    const isAlike = origins.every((each) => String(each) === String(first));
    return isAlike ? [...first, 'offset'] : 'UNION ALL of rows that stem from different numbers of events';
  }
}

/** Why the events of a scan cannot be told apart by when they arrived; null if they can. */
export function withoutArrival({ source }: ScanRelation): string | null {
  if (source.existing === undefined) return null;
  return `the source ${source.name}, whose table does not record when its rows arrived`;
}

function ofGroups({ keys, rollup }: AggregateRelation): Origin {
  // A key that is left out looks like one that is NULL.
  if (rollup) return 'ROLLUP';
  return ofValues(
    keys.map(({ column }) => column),
    'GROUP BY',
  );
}

/** Rows that all differ in these columns. Of equal floats, 0 and -0, an engine shows either. */
function ofValues(columns: readonly Column[], construct: string): Origin {
  const inexact = columns.find(({ type }) => !isKeyType(type) || type.kind === 'FLOAT64');
  if (inexact !== undefined) return `${construct} with a value of type ${typeName(inexact.type)}`;
  return columns.map(({ type }) => typeName(type));
}

/** A set operation other than UNION ALL, as its author knows it. */
export const setOperationName = ({ op, all }: SetOperationRelation): string =>
  op === 'union' ? 'UNION DISTINCT' : `${op.toUpperCase()} ${all ? 'ALL' : 'DISTINCT'}`;

/** A part of a query that can give other values at each run over the same events. */
function unrepeatable(relation: Relation, origins: RowOrigins): string | null {
  switch (relation.kind) {
    case 'scan':
      return withoutArrival(relation);
    case 'limit': {
      const { input, limit } = relation;
      // An optimization barrier (optimizationBarrier.ts) leaves out nothing.
      if (limit === null) return null;
      const isOrdered = input.kind === 'sort' && origins.refusal(input.input) === null;
      return isOrdered ? null : 'LIMIT over rows in no complete order';
    }
    case 'aggregate': {
      const isDistinct = origins.refusal(relation.input) === null;
      return (
        relation.aggregates.map((call) => unrepeatableCall(call, isDistinct)).find((each) => each !== null) ?? null
      );
    }
    case 'window': {
      const isDistinct = origins.refusal(relation.input) === null;
      return relation.calls.map((call) => unrepeatableWindow(call, isDistinct)).find((each) => each !== null) ?? null;
    }
    default:
      return null;
  }
}

const collecting: ReadonlySet<string> = new Set(['array_agg', 'string_agg', 'array_concat_agg']);

/** Aggregates that are exact for any values. */
const exact: ReadonlySet<string> = new Set([
  ...['count', 'countif', 'min', 'max', 'logical_and', 'logical_or', 'bit_and', 'bit_or', 'bit_xor', 'grouping'],
  ...['row_number', 'rank', 'dense_rank', 'percent_rank', 'cume_dist', 'ntile'],
  ...['lag', 'lead', 'first_value', 'last_value', 'nth_value'],
]);

/** Window functions that depend on the order of rows that are equal in their ORDER BY. */
const positional: ReadonlySet<string> = new Set(['row_number', 'ntile', 'lag', 'lead']);
const navigating: ReadonlySet<string> = new Set(['first_value', 'last_value', 'nth_value']);

/** Arrivals complete the order of positional functions and of ROWS frames, if they distinguish the rows (arrivalOrder.ts). */
function unrepeatableWindow(call: WindowCall, isDistinct: boolean): string | null {
  const isByRow = call.frame?.unit === 'rows' || positional.has(call.fn);
  const isOrdered = isDistinct && call.orderBy.length > 0;
  if ((isByRow && !isOrdered) || (navigating.has(call.fn) && !isByRow)) {
    return `${call.fn.toUpperCase()} over rows in no complete order`;
  }
  return unrepeatableCall(call, isDistinct);
}

/** `isDistinct`: whether the rows are distinguished, which completes an ORDER BY. Distinct values need no completion. */
function unrepeatableCall({ fn, column, modifiers }: AggregateCall, isDistinct: boolean): string | null {
  if (exact.has(fn)) return null;
  if (collecting.has(fn)) {
    if (modifiers.orderBy.length === 0) return `${fn.toUpperCase()} without ORDER BY`;
    return isDistinct || modifiers.distinct ? null : `${fn.toUpperCase()} over rows in no complete order`;
  }
  return fn === 'sum' && column.type.kind === 'INT64' ? null : fn.toUpperCase();
}
