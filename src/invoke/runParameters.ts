import { fieldsParameter } from '../googlesql/resolve/informationSchema.ts';
import type { ParameterValue, ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import { rowsMaxParameter } from '../lql/rowsMaxParameter.ts';
import type { RowLimit } from './rowLimit.ts';

/**
 * The endpoint's parameters and the row limit, which LQL charts need because they keep only that many of the newest
 * rows. `fields` are the rows of INFORMATION_SCHEMA.FIELDS, or null if the query does not read it.
 */
export function runParameters(
  parameters: ParameterValues,
  { rowsMax }: RowLimit,
  fields: ParameterValue | null,
): ParameterValues {
  const bound = new Map(parameters).set(rowsMaxParameter, { kind: 'int64', value: BigInt(rowsMax) });
  return fields === null ? bound : bound.set(fieldsParameter, fields);
}
