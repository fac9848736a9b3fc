import { roundedFloat } from './casts.ts';

/**
 * The keys that order JSON scalars (`Transport`, 'scalar'): numbers before text (googlesql.md, section 2), like the sort
 * keys of DuckDB's emitter. All are NULL for NULL.
 */
export function scalarOrder(scalar: string): readonly string[] {
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
