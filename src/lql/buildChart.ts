import type { CallerTable } from '../googlesql/callerTables.ts';
import type { Expression, Position, Query, Select } from '../googlesql/syntax/nodes.ts';
import { CallerRows } from './callerRows.ts';
import { lqlSyntaxError } from './lqlSyntaxError.ts';
import type { Aggregate, LqlQuery } from './query.ts';
import { rowsMaxParameter } from './rowsMaxParameter.ts';
import {
  call,
  compare,
  elementAt,
  groupBy,
  name,
  number,
  ordering,
  parameter,
  path,
  query as queryNode,
  select,
  selected,
  star,
  startOfText,
  subquery,
} from './syntaxNodes.ts';
import { tablePosition, whereOf } from './whereOf.ts';

const chart = 'chart';

/**
 * Builds a chart: the columns `timestamp`, the start of each period, and the aggregate under its own name, in ascending
 * order. If there are more periods than allowed rows, the newest ones that fit come first, then the others, so that the
 * oldest are cut off.
 */
export function buildChart(query: LqlQuery, table: CallerTable): Query {
  const { buckets, column, pos } = bucketsOf(query, table);
  const timestamp = path([chart, 'timestamp'], pos);
  const isBeyond = compare('>', rank(timestamp, pos), parameter(rowsMaxParameter, pos), pos);
  const items = ['timestamp', column].map((each) => selected(path([chart, each], pos), each, pos));
  const from = subquery(queryNode(buckets, [], pos), chart, pos);
  return queryNode(
    select({ items, from }, pos),
    [ordering(isBeyond, 'asc', pos), ordering(timestamp, 'asc', pos)],
    pos,
  );
}

export function isChart(query: LqlQuery): boolean {
  return query.clauses.some(({ kind }) => kind === 'aggregate' || kind === 'period');
}

/** Builds the chart with its periods in ascending order only, so that the newest are cut off if there are too many. */
export function buildBuckets(query: LqlQuery, table: CallerTable): Query {
  const { buckets, pos } = bucketsOf(query, table);
  return queryNode(buckets, [ordering(number('1', pos), 'asc', pos)], pos);
}

/** Builds the SELECT of the periods and their aggregate. `column`: the name of the aggregate's column. */
function bucketsOf(
  query: LqlQuery,
  table: CallerTable,
): { readonly buckets: Select; readonly column: Aggregate; readonly pos: Position } {
  refuseSelect(query);
  const aggregate = query.clauses.find((clause) => clause.kind === 'aggregate');
  const period = query.clauses.find((clause) => clause.kind === 'period');
  const column = aggregate?.aggregate ?? 'count';
  const pos = aggregate?.pos ?? period?.pos ?? startOfText;
  const periodPos = period?.pos ?? pos;
  const rows = new CallerRows(table, ['timestamp', column]);
  const start = call(
    'timestamp_trunc',
    [rows.timestamp(periodPos), name(period?.period ?? 'minute', periodPos)],
    periodPos,
  );
  const value = aggregate?.path == null ? null : rows.value(aggregate.path);
  const buckets = select(
    {
      items: [selected(start, 'timestamp', periodPos), selected(aggregateOf(column, value, pos), column, pos)],
      from: rows.from(tablePosition(query)),
      where: whereOf(query, rows),
      groupBy: groupBy(number('1', periodPos), periodPos),
    },
    pos,
  );
  return { buckets, column, pos };
}

/** The rank of a period; 1 is the newest. */
function rank(timestamp: Expression, pos: Position): Expression {
  return call('row_number', [], pos, {
    over: {
      kind: 'WindowSpecification',
      base: undefined,
      partitionBy: [],
      orderBy: [ordering(timestamp, 'desc', pos)],
      frame: undefined,
      pos,
      end: pos.offset,
    },
  });
}

const percents: Readonly<Partial<Record<Aggregate, string>>> = { p50: '50', p95: '95', p99: '99' };

/** `value` is null for `*`. Quantiles are elements of APPROX_QUANTILES(x, 100), which is exact, so they occur in the data. */
function aggregateOf(aggregate: Aggregate, value: Expression | null, pos: Position): Expression {
  const args = [value ?? star(pos)];
  const percent = percents[aggregate];
  if (percent !== undefined) {
    return elementAt(call('approx_quantiles', [...args, number('100', pos)], pos), number(percent, pos), pos);
  }
  return aggregate === 'countd' ? call('count', args, pos, { isDistinct: true }) : call(aggregate, args, pos);
}

function refuseSelect(query: LqlQuery): void {
  const chosen = query.clauses.find((clause) => clause.kind === 'select');
  if (chosen === undefined) return;
  const what = chosen.path === null ? '*' : chosen.path.steps.join('.');
  throw lqlSyntaxError({
    pos: chosen.pos,
    token: `s:${what}`,
    expected: 'no s: clause in a chart',
    advice: 'A chart always has the columns timestamp and its aggregate.',
  });
}
