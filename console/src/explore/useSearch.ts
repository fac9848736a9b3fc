import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '../api/callApi.ts';
import { textOf } from '../api/losslessJson.ts';
import type { Row, RowsAnswer } from '../api/rowsProtocol.ts';
import { filtersOf, timesOf, withTimes } from '../lql/clauses.ts';
import { useLast } from '../parts/useLast.ts';
import { useFields } from '../query/useFields.ts';
import { useRowsCalls } from '../shell/calls.ts';
import { severityClauses } from '../text/severity.ts';
import { type Micros, parseInstant, printInstant } from '../time/instant.ts';
import { type Bars, barStarts, barsOf } from '../time/periods.ts';
import { rangeOf, type TimeRange } from '../time/timeRange.ts';
import { firstPage, placeAfter, readPage, type SearchPage } from './rowPages.ts';
import { planSearch } from './searchPlan.ts';
import type { SearchTarget } from './searchTarget.ts';
import { shapeOf, sqlPath, type TableShape, withFields } from './tableShape.ts';

const sampleRows = 20;

/**
 * The shape of the table, from its newest rows. Once paths are wanted, also from its fields, for which the service reads
 * thousands of rows.
 */
export function useTableShape(target: SearchTarget, isReady: boolean, arePathsWanted: boolean) {
  const newest = useNewestShape(target, isReady);
  const { endpoint, parameters, table } = target;
  const fields = useFields(endpoint, table, parameters, isReady && arePathsWanted);
  const data = useMemo(
    () =>
      newest.data &&
      withFields(
        newest.data,
        fields.flatMap(({ result }) => result),
        table,
      ),
    [newest.data, fields, table],
  );
  return { data, error: newest.error, isFetching: newest.isFetching, refetch: newest.refetch };
}

function useNewestShape({ endpoint, parameters, table }: SearchTarget, isReady: boolean) {
  const calls = useRowsCalls();
  return useQuery({
    queryKey: ['shape', endpoint.id, parameters, table],
    enabled: isReady,
    staleTime: 300_000,
    queryFn: async ({ signal }): Promise<TableShape> => {
      const sample = async (order: string) =>
        await calls.call({
          path: endpoint.path,
          body: { ...parameters, sql: `select * from \`${table}\` ${order} limit ${sampleRows}` },
          signal,
        });
      let newest: RowsAnswer;
      try {
        newest = await sample('order by timestamp desc');
      } catch (error) {
        // A table without a column of this name has no newest rows.
        if (!(error instanceof ApiError && error.status === 400)) throw error;
        newest = await sample('');
      }
      return shapeOf(newest.meta.columns, newest.rows);
    },
  });
}

/** Rows in pages, newest first. */
export function useRows(target: SearchTarget, lql: string, shape: TableShape | undefined, run: number) {
  const calls = useRowsCalls();
  const plan = shape === undefined ? undefined : planSearch(lql, shape);
  const query = useInfiniteQuery({
    queryKey: ['rows', target.endpoint.id, target.parameters, plan?.lql, run],
    enabled: plan !== undefined && lql !== '',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    placeholderData: keepPreviousData,
    // Rows never change, and comparing all pages again with each new one takes longer the more there are.
    structuralSharing: false,
    initialPageParam: firstPage,
    queryFn: async ({ pageParam, signal }): Promise<SearchPage> => {
      if (plan === undefined) throw new Error('The table is not known yet.');
      return await readPage(calls, target, plan, pageParam, signal);
    },
    getNextPageParam: placeAfter,
  });
  return {
    ...query,
    data: useLast(query.data, `${target.endpoint.id} ${target.table}`),
    /** Whether the rows are of this search, not of the one before. */
    areOfSearch: query.data !== undefined && !query.isPlaceholderData,
  };
}

export interface Histogram {
  readonly bars: Bars;
  readonly starts: readonly Micros[];
  readonly total: readonly number[];
  readonly errors: readonly number[];
  readonly warnings: readonly number[];
  readonly range: { readonly from: Micros; readonly to: Micros };
  /** Clauses that keep errors and warnings; null if nothing in the rows tells them. */
  readonly severity: ReturnType<typeof severityClauses> | null;
}

const spanUnknown = 86_400e6;
/** Rows of an answer unless the endpoint says otherwise. */
export const rowsMaxUsual = 1000;

/** The range of a run whose clock showed `now`. Open ends are filled, so that it can be drawn. */
export function rangeOfRun(lql: string, now: Micros): { readonly from: Micros; readonly to: Micros } | null {
  const range: TimeRange | null = rangeOf(timesOf(lql), now);
  if (range === null) return null;
  const to = range.to ?? now;
  return { from: range.from ?? to - spanUnknown, to };
}

/** Rows by time and severity, over the same range as the rows. */
export function useHistogram(
  target: SearchTarget,
  lql: string,
  shape: TableShape | undefined,
  asOf: string | undefined,
) {
  const calls = useRowsCalls();
  const range = asOf === undefined ? null : rangeOfRun(lql, parseInstant(asOf) ?? 0);
  return useQuery({
    queryKey: ['histogram', target.endpoint.id, target.parameters, filtersOf(lql), asOf],
    enabled: range !== null && shape?.isLog === true,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Histogram | null> => {
      if (range === null || shape === undefined) return null;
      const bars = barsOf(range.from, range.to, target.endpoint.pageRowsMax ?? rowsMaxUsual);
      if (bars === null) return null;
      const fixed = withTimes(filtersOf(lql), [`t:>=${printInstant(range.from)}`, `t:<=${printInstant(range.to)}`]);
      const counts = async (clause: string): Promise<readonly Row[]> => {
        const body = { ...target.parameters, lql: `${fixed} ${clause} c:count(*) c:group_by(t::${bars.period})` };
        return (await calls.call({ path: target.endpoint.path, body, signal })).rows;
      };
      const path = shape.level ?? shape.status;
      const severity = path === null ? null : severityClauses(path, shape.level === null);
      const [total, errors, warnings] = await Promise.all([
        counts(''),
        severity === null ? [] : counts(severity.error),
        severity === null ? [] : counts(severity.warning),
      ]);
      const starts = barStarts(bars, range.from, range.to);
      const inBars = (rows: readonly Row[]): readonly number[] => sumsOf(rows, bars, starts);
      return {
        bars,
        starts,
        range,
        severity,
        total: inBars(total),
        errors: inBars(errors),
        warnings: inBars(warnings),
      };
    },
  });
}

function sumsOf(rows: readonly Row[], { barMicros }: Bars, starts: readonly Micros[]): readonly number[] {
  const sums = new Array<number>(starts.length).fill(0);
  const [first = 0] = starts;
  for (const { timestamp, count } of rows) {
    const index = Math.floor(((parseInstant(textOf(timestamp)) ?? 0) - first) / barMicros);
    if (sums[index] !== undefined) sums[index] += Number(count);
  }
  return sums;
}

export interface TopValue {
  readonly value: Row[string];
  readonly count: number;
}

const topValuesMax = 8;

/** The most frequent values of a path in the time range, whatever the other filters are, and how many rows that has. */
export function useTopValues(
  target: SearchTarget,
  path: string,
  lql: string,
  asOf: string | undefined,
  isOpen: boolean,
) {
  const calls = useRowsCalls();
  const range = asOf === undefined ? null : rangeOfRun(lql, parseInstant(asOf) ?? 0);
  return useQuery({
    queryKey: ['values', target.endpoint.id, target.parameters, target.table, path, range],
    enabled: isOpen && range !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 120_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      if (range === null) return { values: [], rows: 0 };
      const between = `timestamp >= timestamp '${printInstant(range.from)}' and timestamp <= timestamp '${printInstant(range.to)}'`;
      const sql = `select ${sqlPath(path)} as value, count(*) as n, sum(count(*)) over () as total from \`${target.table}\` where ${between} group by value order by n desc limit ${topValuesMax}`;
      const body = { ...target.parameters, sql };
      const { rows } = await calls.call({ path: target.endpoint.path, body, signal });
      const values = rows.map((row): TopValue => ({ value: row.value ?? null, count: Number(row.n) }));
      return { values, rows: Number(rows[0]?.total ?? 0) };
    },
  });
}
