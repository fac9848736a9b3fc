import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { timestampLiteral } from '../sqlText.ts';
import { arrivalColumn } from '../tables/tableLayout.ts';
import { projectCondition } from '../tables/visibleRows.ts';

/**
 * Conditions on the columns of a source's table that are TRUE for exactly the events within the bounds. `permitted` are the
 * projects of the call, which stand in for those of bounds that no event can meet: the isolation check demands some.
 */
export function boundConditions(
  { projects, fromMicros, toMicros, arrivals }: ScanBounds,
  permitted: readonly string[] | null,
): readonly string[] {
  if (projects?.length === 0) return [...(permitted === null ? [] : [projectCondition(permitted)]), '0'];
  return [
    ...(projects === null ? [] : [projectCondition(projects)]),
    ...(fromMicros === null ? [] : [`timestamp >= ${timestampLiteral(fromMicros)}`]),
    ...(toMicros === null ? [] : [`timestamp <= ${timestampLiteral(toMicros)}`]),
    ...(arrivals === undefined ? [] : [`${arrivalColumn} > ${arrivals.after}`, `${arrivalColumn} <= ${arrivals.to}`]),
  ];
}
