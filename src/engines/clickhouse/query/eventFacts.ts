import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { pathKey, type Source } from '../../../sources/source.ts';
import { ClickHouseFailure } from '../connection/failure.ts';
import { isOuterTime, outerTimeKey } from '../emit/outerTimes.ts';
import { hotCountColumn, irregularColumn, readTable, type TablePlace } from '../tables/tableLayout.ts';
import { boundConditions } from './boundConditions.ts';

/** Facts about the events within the bounds of a scan. */
export interface EventFacts {
  /** pathKeys at which an event may be irregular (sources/source.ts), and `outerTimeKey`. */
  readonly irregular: ReadonlySet<string>;
}

/** Writes the SELECT that finds them. It reads none of the columns that are large. */
export function factsStatement(place: TablePlace, bounds: ScanBounds, permitted: readonly string[] | null): string {
  const where = boundConditions(bounds, permitted);
  return [
    `SELECT count() AS out_events, groupUniqArrayArray(${irregularColumn}) AS out_irregular, min(${hotCountColumn}) AS out_hot, countIf(${isOuterTime}) AS out_outer`,
    `FROM ${readTable(place, bounds.scan.source.name)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
  ].join('\n');
}

/** Reads the answer in JSONCompact. */
export function readFacts(text: string, source: Source): EventFacts {
  const data = rowsIn(text);
  const [events, irregular, hot, outer] = data[0] ?? [];
  if (
    data.length !== 1 ||
    !Array.isArray(irregular) ||
    ![events, outer].every((count) => /^\d+$/.test(String(count)))
  ) {
    throw new ClickHouseFailure('damaged', 'an answer with facts is not complete');
  }
  const unknown = Number(events) === 0 ? [] : pathsUnknown(source, Number(hot));
  const times = Number(outer) === 0 ? [] : [outerTimeKey];
  return { irregular: new Set([...irregular.map(String), ...unknown, ...times]) };
}

/** None if the text was cut. */
function rowsIn(text: string): readonly (readonly unknown[])[] {
  try {
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    return Array.isArray(data) && data.every(Array.isArray) ? data : [];
  } catch {
    // The message of the error quotes the text.
    return [];
  }
}

/** The paths of typed columns that the source did not have yet when an event with this number of them was stored. */
export function pathsUnknown(source: Source, hotColumns: number): readonly string[] {
  return source.hotColumns.slice(hotColumns).map(({ path }) => pathKey(path));
}
