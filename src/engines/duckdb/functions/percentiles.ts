import type { SqlType } from '../../../googlesql/types.ts';
import { duckType } from '../emit/literal.ts';
import type { EmitAggregate, EmittedCall } from './emitContext.ts';
import { nanFirst } from './nanFirst.ts';
import { argument, constantNumber, failedAggregate } from './sqlFragments.ts';

type Quantile = 'quantile_cont' | 'quantile_disc';

/** PERCENTILE_CONT and PERCENTILE_DISC. The shares are decimals, with which the engine counts exactly. */
export const percentile =
  (name: Quantile): EmitAggregate =>
  (args, context) => {
    const share = constantNumber(context, 1);
    if (share === undefined || !(share >= 0 && share <= 1)) {
      return failedAggregate(context, 'A percentile must be a number from 0 to 1.');
    }
    const value = argument(args, 0);
    const written = share >= 1e-6 || share === 0 ? String(share) : share.toFixed(18);
    const type = context.argTypes[0] ?? { kind: 'NULL' };
    if (context.modifiers?.nulls === 'respect') return nullsFirst(name, value, written, type);
    if (type.kind !== 'FLOAT64' || context.finite?.[0] === true) return `${name}(${value}, ${written})`;
    return nanFirst(
      value,
      (number) => `${name}(${number}, ${written})`,
      (count) => places(name, written, count).least,
    );
  };

/** Positions, from 1, of the least and the greatest sorted value that a percentile depends on. */
function places(name: Quantile, share: string, count: string): { readonly least: string; readonly greatest: string } {
  const exact = `CAST(${share} AS DECIMAL(20, 18))`;
  if (name === 'quantile_disc') {
    const place = `greatest(1, ceil(${exact} * ${count}))`;
    return { least: place, greatest: place };
  }
  const from = `${exact} * (${count} - 1)`;
  return { least: `floor(${from}) + 1`, greatest: `ceil(${from}) + 1` };
}

/**
 * With RESPECT NULLS, NULL is a value before all others, including NaN; between NULL and a value, the result is the
 * value (GoogleSQL, "PERCENTILE_CONT"). The engine gets the least value of the type for both; the positions tell which
 * one it found.
 */
function nullsFirst(name: Quantile, value: string, share: string, type: SqlType): EmittedCall {
  const least = `CAST(${leastValues[type.kind] ?? "''"} AS ${duckType(type)})`;
  const isNan = type.kind === 'FLOAT64' ? `isnan(${value})` : 'FALSE';
  const call = `${name}(CASE WHEN ${value} IS NULL OR ${isNan} THEN ${least} ELSE ${value} END, ${share})`;
  return {
    call,
    wrap: (result) => {
      const over = result.slice(call.length);
      const nulls = `count(CASE WHEN ${value} IS NULL THEN 1 END)${over}`;
      const nans = `count(CASE WHEN ${isNan} THEN 1 END)${over}`;
      const place = places(name, share, `count(*)${over}`);
      const cases = [`WHEN ${place.greatest} <= ${nulls} THEN NULL`];
      if (type.kind === 'FLOAT64') {
        const isFirst = `${place.least} <= ${nulls}`;
        cases.push(`WHEN ${nans} > 0 AND ${place.least} <= ${nulls} + ${nans} THEN CAST('nan' AS DOUBLE)`);
        cases.push(`WHEN ${isFirst} THEN min(${value})${over}`);
      }
      return `CASE ${cases.join(' ')} ELSE ${result} END`;
    },
  };
}

/** The least value of each type; empty for STRING and BYTES. */
const leastValues: Readonly<Partial<Record<SqlType['kind'], string>>> = {
  INT64: "'-9223372036854775808'",
  FLOAT64: "'-inf'",
  BOOL: 'FALSE',
  TIMESTAMP: "'0001-01-01'",
  DATETIME: "'0001-01-01'",
  DATE: "'0001-01-01'",
  TIME: "'00:00:00'",
};
