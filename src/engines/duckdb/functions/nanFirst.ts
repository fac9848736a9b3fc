import type { EmittedCall } from './emitContext.ts';

/**
 * A quantile of FLOAT64 that may hold NaN. In GoogleSQL, NaN comes before every number ("Floating point semantics"); in
 * the engine, after them. The engine gets the least number instead; if that is the result, the requested position shows
 * which of the two it was.
 *
 * `quantile` writes the engine's call. `place` is the position, from 1, of the least value that the result depends on,
 * among `count` non-NULL values.
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
