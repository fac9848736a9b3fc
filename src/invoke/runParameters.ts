import type { ParameterValues } from '../googlesql/resolve/parameterValue.ts';
import { rowsMaxParameter } from '../lql/rowsMaxParameter.ts';
import type { RowLimit } from './rowLimit.ts';

/** The endpoint's parameters, and what a chart in LQL has to know of the run: it keeps the newest rows of as many as it may give. */
export function runParameters(parameters: ParameterValues, { rowsMax }: RowLimit): ParameterValues {
  return new Map(parameters).set(rowsMaxParameter, { kind: 'int64', value: BigInt(rowsMax) });
}
