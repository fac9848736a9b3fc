import type { PlannedRedaction } from '../../../googlesql/plan/queryPlan.ts';
import type { Redactor } from '../../../redact/createRedactor.ts';
import { isValueMember } from '../../../redact/namedValues.ts';
import { pathKey } from '../../../sources/source.ts';

/** The redaction of one run. The engine process distinguishes runs by `tag`. */
export function planRedaction(redactor: Redactor, tag: number): PlannedRedaction {
  return {
    tag,
    personalNumbers: ({ source }) =>
      new Set(
        source.hotColumns
          .filter(
            ({ kind, path }) =>
              (kind.endsWith('64') && redactor.isPersonal(['metadata', ...path])) || path.some(isValueMember),
          )
          .map(({ path }) => pathKey(path)),
      ),
  };
}
