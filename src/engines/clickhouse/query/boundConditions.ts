import type { ScanBounds } from '../../../googlesql/plan/scanBounds.ts';
import { timestampLiteral } from '../sqlText.ts';
import { projectCondition } from '../tables/visibleRows.ts';

/** Conditions on the columns of a source's table that are TRUE for exactly the events within the bounds. */
export function boundConditions({ projects, fromMicros, toMicros }: ScanBounds): readonly string[] {
  return [
    ...(projects === null ? [] : [projectCondition(projects)]),
    ...(fromMicros === null ? [] : [`timestamp >= ${timestampLiteral(fromMicros)}`]),
    ...(toMicros === null ? [] : [`timestamp <= ${timestampLiteral(toMicros)}`]),
  ];
}
