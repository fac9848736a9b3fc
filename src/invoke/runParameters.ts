import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import { rowsMaxParameter } from '../lql/rowsMaxParameter.ts';
import type { RowLimit } from './rowLimit.ts';

/**
 * The endpoint's parameters and the row limit, which LQL charts need because they keep only that many of the newest
 * rows.
 */
export function runParameters(parameters: ParameterValues, { rowsMax }: RowLimit): ParameterValues {
  return new Map(parameters).set(rowsMaxParameter, { kind: 'int64', value: BigInt(rowsMax) });
}
