import type { CallerTable } from '../googlesql/callerTables.ts';
import type { Query } from '../googlesql/syntax/nodes.ts';
import { buildChart, isChart } from './buildChart.ts';
import { buildList } from './buildList.ts';
import { chooseTable } from './chooseTable.ts';
import type { LqlQuery } from './query.ts';

/** Builds the GoogleSQL syntax tree of a query over the endpoint's tables. */
export function buildQuery(query: LqlQuery, tables: readonly CallerTable[]): Query {
  const table = chooseTable(query, tables);
  return isChart(query) ? buildChart(query, table) : buildList(query, table);
}
