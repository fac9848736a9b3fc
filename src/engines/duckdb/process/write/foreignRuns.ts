import type { DuckDBConnection } from '@duckdb/node-api';
import { runCharsMin } from '../../../../googlesql/plan/requiredRun.ts';
import { FragmentFilterWriter } from '../../files/fragmentFilter.ts';
import { plainColumns, type TableLayout, tableInFile } from '../../files/tableLayout.ts';
import { quoteIdentifier } from '../../sqlText.ts';
import { callFailure } from '../callFailure.ts';
import { readRows } from '../read/wholeResult.ts';

/** Events whose texts are read together. */
const rangeEvents = 61_440;
/** Foreign runs of these events at most; with more, a filter would exclude little. */
const rangeRunsMax = 20_000;
/** Their characters at most, each run once, because the process adds them without a pause. */
const rangeCharsMax = 1_000_000;
const runCharsMax = 1024;
/** Longer texts are not split into runs. */
const textBytesMax = 8192;

/**
 * Writes a filter (files/fragmentFilter.ts) for each typed column of URLs of a written table: the runs of letters and
 * digits in its texts, except those that are exactly the name of the event's project. Columns whose texts have too many
 * runs, or too long ones, have none.
 */
export async function fragmentFilters(
  connection: DuckDBConnection,
  alias: string,
  layout: TableLayout,
  events: number,
  beforeRange: () => Promise<void>,
): Promise<readonly (readonly [column: string, filter: string])[]> {
  const filters: [string, string][] = [];
  for (const { name, type } of layout.columns.slice(plainColumns)) {
    if (type !== 'VARCHAR' || !/(?:^|_)url$/.test(name)) continue;
    const filter = await filterOf(
      connection,
      tableInFile(alias, layout.table),
      quoteIdentifier(name),
      events,
      beforeRange,
    );
    if (filter !== null) filters.push([name, filter]);
  }
  return filters;
}

async function filterOf(
  connection: DuckDBConnection,
  table: string,
  column: string,
  events: number,
  beforeRange: () => Promise<void>,
): Promise<string | null> {
  const filter = new FragmentFilterWriter(events);
  // Not the number of events: row ids may have gaps.
  const [last] = await readRows(connection, `SELECT max(rowid) FROM ${table}`);
  for (let from = 0; from <= Number(last?.[0] ?? -1); from += rangeEvents) {
    await beforeRange();
    const runs = await foreignRuns(connection, table, column, from);
    if (runs === null) return null;
    for (const run of runs) filter.add(run);
  }
  return filter.encoded();
}

/** Null if there are too many, or one is too long. */
async function foreignRuns(
  connection: DuckDBConnection,
  table: string,
  column: string,
  from: number,
): Promise<readonly string[] | null> {
  const split = `regexp_extract_all(${column}, '[0-9A-Za-z]{${runCharsMin},}')`;
  // NULL stands for a text that is too long: any text can be the name of a project. A run is compared with the name
  // before it is shortened.
  const rows = await readRows(
    connection,
    `SELECT run, count(*) FROM (
       SELECT left(whole, ${runCharsMax + 1}) AS run FROM (
         SELECT project, unnest(CASE WHEN strlen(${column}) > ${textBytesMax} THEN [NULL::VARCHAR] ELSE ${split} END) AS whole
         FROM ${table} WHERE rowid >= ${from} AND rowid < ${from + rangeEvents})
       WHERE whole IS NULL OR whole <> project LIMIT ${rangeRunsMax + 1})
     GROUP BY run`,
  ).catch((error: unknown) => {
    // A segment without a filter is read whole; sealing must not fail.
    if (callFailure(error).kind === 'memory') return null;
    throw error;
  });
  if (rows === null) return null;
  const runs: string[] = [];
  let [found, chars] = [0, 0];
  for (const [run, count] of rows) {
    if (typeof run !== 'string' || run.length > runCharsMax) return null;
    runs.push(run);
    found += Number(count);
    chars += run.length;
  }
  return found > rangeRunsMax || chars > rangeCharsMax ? null : runs;
}
