import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { arrivalColumn, tableLayout } from '../../duckdb/files/tableLayout.ts';
import { quoteIdentifier, quoteText } from '../sqlText.ts';
import { hotCountColumn, irregularColumn, readTable, type TablePlace } from '../tables/tableLayout.ts';
import { boundConditions } from './boundConditions.ts';
import type { Fetch } from './fetch.ts';

/** Which events of a scan are wanted first, and how many. */
export interface NewestRows {
  readonly count: number;
  /** Whether the rest orders events of equal times by something else than their arrival, so that all of them are needed. */
  readonly withTies: boolean;
}

/** What one scan reads from ClickHouse. */
export interface ScanFetch {
  readonly bounds: ScanBounds;
  /** The stored columns that the rest reads. */
  readonly stored: ReadonlySet<string>;
  /** pathKeys at which the rest, or a condition, assumes that no event is irregular. */
  readonly trusted: ReadonlySet<string>;
  /** Further conditions in ClickHouse's SQL, which hold for every event that can affect the answer. */
  readonly conditions: readonly string[];
  readonly newest: NewestRows | null;
}

/** No column of a table has a name like this, so an alias never takes the place of a column in a condition. */
export const outputName = (name: string): string => `out_${name}`;

/** Writes the SELECT of a scan. `fetchCheck.ts` expects this form. */
export function fetchStatement(place: TablePlace, fetch: ScanFetch): Fetch {
  const { bounds, trusted, conditions, newest } = fetch;
  const { source } = bounds.scan;
  const types = new Map<string, string>(tableLayout(source).columns.map(({ name, type }) => [name, type]));
  types.set(arrivalColumn, 'BIGINT');
  const wanted = new Set(fetch.stored);
  // The statement of the rest repeats these conditions: the isolation check demands the first.
  if (bounds.projects !== null) wanted.add('project');
  if (bounds.fromMicros !== null || bounds.toMicros !== null) wanted.add('timestamp');
  if (bounds.arrivals !== undefined) wanted.add(arrivalColumn);
  const columns = [...wanted].map((name) => {
    const type = types.get(name);
    if (type === undefined) throw new Error(`the table of ${source.name} has no column ${name}`);
    return { name, type, inFile: outputName(name) };
  });
  const items = columns.map(({ name, inFile }) => `${readColumn(name)} AS ${inFile}`);
  const irregular = trusted.size === 0 ? null : outputName(irregularColumn);
  if (irregular !== null) items.push(`${irregularAmong(trusted, source.hotColumns.length)} AS ${irregular}`);
  const where = [...boundConditions(bounds, null), ...conditions.map((condition) => `(${condition})`)];
  const sql = [
    `SELECT ${items.length === 0 ? `1 AS ${outputName('one')}` : items.join(', ')}`,
    `FROM ${readTable(place, source.name)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(newest === null ? [] : [newestOf(newest)]),
  ].join('\n');
  return { bounds, sql, table: { columns, irregular, check: null, events: null } };
}

function newestOf({ count, withTies }: NewestRows): string {
  if (withTies) return `ORDER BY timestamp DESC LIMIT ${count} WITH TIES`;
  return `ORDER BY timestamp DESC, ${arrivalColumn} DESC LIMIT ${count}`;
}

function readColumn(name: string): string {
  if (name === 'timestamp') return `toUnixTimestamp64Micro(timestamp)`;
  if (name === 'project') return `toString(project)`;
  return quoteIdentifier(name);
}

/**
 * The pathKeys among these at which an event is, or may be, irregular, joined with line breaks; empty for nearly every
 * event.
 */
function irregularAmong(trusted: ReadonlySet<string>, hotColumns: number): string {
  const keys = [...trusted].map(quoteText).join(', ');
  const found = `arrayStringConcat(arrayIntersect(${irregularColumn}, [${keys}]), '\\n')`;
  const all = `arrayStringConcat([${keys}], '\\n')`;
  return `multiIf(${hotCountColumn} < ${hotColumns}, ${all}, empty(${irregularColumn}), '', ${found})`;
}
