import { bound } from './bound.ts';
import { roundedFloat } from './casts.ts';

/**
 * The keys that order JSON scalars (`Transport`, 'scalar'): numbers before text (googlesql.md, section 2), like the sort
 * keys of DuckDB's emitter. All are NULL for NULL.
 */
export function scalarOrder(scalar: string): readonly string[] {
  return orderOf('scalar').map((key) => bound(scalar, 'scalar', () => key));
}

function orderOf(scalar: string): readonly string[] {
  const isNumber = `match(${scalar}, '^v[-0-9]')`;
  const text = `substring(${scalar}, 2)`;
  const number = `toFloat64OrNull(${text})`;
  const rounded = `accurateCastOrNull(${roundedFloat(number)}, 'Int128')`;
  const whole = `coalesce(toInt128OrNull(${text}), ${rounded}, 0)`;
  return [
    `(NOT ${isNumber})`,
    `if(${isNumber}, ${number}, if(isNull(${scalar}), NULL, 0.))`,
    // Orders whole numbers that round to the same FLOAT64.
    `if(${isNumber}, ${whole}, if(isNull(${scalar}), NULL, 0))`,
    `if(${isNumber}, '', ${text})`,
  ];
}

/**
 * A tuple by which MIN and MAX order JSON scalars that are not NULL, like `jsonSortKey` of DuckDB's emitter: unlike an ORDER BY,
 * they tell apart a whole number and the same number with a fraction.
 */
export function extremeOrder(scalar: string): string {
  return bound(`assumeNotNull(${scalar})`, 'scalar', (known) => {
    const isNumber = `match(${known}, '^v[-0-9]')`;
    const text = `substring(${known}, 2)`;
    const whole = `if(match(${text}, '^-?[0-9]{1,38}$'), toInt128OrZero(${text}), toInt128(0))`;
    return `(NOT ${isNumber}, if(${isNumber}, toFloat64OrZero(${text}), 0.), if(${isNumber}, ${whole}, toInt128(0)), if(${isNumber}, '', ${text}))`;
  });
}
