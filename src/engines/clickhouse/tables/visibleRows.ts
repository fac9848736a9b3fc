import type { Source } from '../../../sources/source.ts';
import { existingConditions, type TimeBounds } from '../existing/existingView.ts';
import { quoteText, timestampLiteral } from '../sqlText.ts';
import { type TablePlace, tableNames } from './tableLayout.ts';

/** Rows that a scan of a source may return. */
export interface VisibleRows {
  /**
   * Resolves when conditions are those of a query that begins now. Await it before the first condition of a query, and take
   * all conditions of a query in the same turn, so that its scans see the same events. Rejects with `engine.restarting`.
   */
  ready(): Promise<void>;
  /**
   * A condition on the columns of the source's table that is TRUE for exactly the rows that a query may see now: those
   * of complete batches that are not removed, by age or on request. Every scan must carry it, so it is part of
   * `tableFilters`. `projects` (null for all) makes it shorter, but does not restrict it to them.
   */
  condition(source: string, projects: readonly string[] | null, nowMicros: number): string;
}

/** The rows of a source that a query may read. */
export interface ReadableSource {
  readonly source: Pick<Source, 'name' | 'existing'>;
  /** Null for all projects. */
  readonly projects: readonly string[] | null;
  /** Bounds of the time, of which the table of others makes use; all times by default. */
  readonly times?: TimeBounds;
}

const always: TimeBounds = { fromMicros: null, toMicros: null };

/**
 * The value of `additional_table_filters` for a query that reads these sources: it restricts each table to the rows that
 * are visible, and to the projects. A table that is read but not named here would be unrestricted, so the caller lists
 * every source of the statement.
 */
export function tableFilters(
  place: TablePlace,
  visible: VisibleRows,
  sources: readonly ReadableSource[],
  nowMicros: number,
): ReadonlyMap<string, string> {
  const filters = new Map<string, string>();
  for (const { source, projects, times = always } of sources) {
    const { name, existing } = source;
    const names = tableNames(name, place);
    // Rows of others are visible as long as their table has them.
    const conditions = existing === undefined ? [visible.condition(name, projects, nowMicros)] : [];
    if (projects !== null) conditions.unshift(projectCondition(projects));
    if (existing !== undefined) {
      const below = existingConditions(existing, projects, times);
      if (below.length > 0) filters.set(`${existing.database}.${existing.table}`, below.join(' AND '));
    }
    if (conditions.length === 0) continue;
    const filter = conditions.map((each) => `(${each})`).join(' AND ');
    for (const table of new Set([names.read, names.stored])) filters.set(`${place.database}.${table}`, filter);
  }
  return filters;
}

/** TRUE for rows of these projects. */
export function projectCondition(projects: readonly string[]): string {
  if (projects.length === 0) return '0';
  const [first = '', ...others] = projects.map(quoteText);
  return others.length === 0 ? `project = ${first}` : `project IN (${[first, ...others].join(', ')})`;
}

/** TRUE for rows at or after the time, in microseconds since 1970. */
export function sinceCondition(micros: number): string {
  return `timestamp >= ${timestampLiteral(micros)}`;
}
