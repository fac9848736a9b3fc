import type { EmittedCall } from './emitContext.ts';

/**
 * A quantile of FLOAT64 that may hold NaN, which comes before every number in GoogleSQL ("Floating point semantics")
 * and behind them to the engine. To the engine it is the least number instead; where that is what it finds, the place
 * that was asked for says which of the two it was.
 *
 * `quantile` writes the engine's call, `place` the place of the least value that the result is made of, from 1, among
 * `count` values that are not NULL.
 */
export function nanFirst(
  value: string,
  quantile: (number: string) => string,
  place: (count: string) => string,
): EmittedCall {
  const call = quantile(`CASE WHEN isnan(${value}) THEN CAST('-inf' AS DOUBLE) ELSE ${value} END`);
  return {
    call,
    wrap: (result) => {
      const over = result.slice(call.length);
      const ofNan = `count(CASE WHEN isnan(${value}) THEN 1 END)${over}`;
      return `CASE WHEN ${ofNan} > 0 AND ${place(`count(${value})${over}`)} <= ${ofNan} THEN CAST('nan' AS DOUBLE) ELSE ${result} END`;
    },
  };
}
