import type { conditionalFunctions } from '../../../googlesql/functions/conditionals.ts';
import { equality } from './comparisons.ts';
import type { EmitFunction, ScalarEmitters } from './emitContext.ts';
import { bind } from './sqlFragments.ts';

/** If one value is NULL, GoogleSQL returns NULL; the engine skips it. */
const extreme =
  (name: 'greatest' | 'least'): EmitFunction =>
  (args, context) =>
    bind(args, (...values) => {
      const any = (test: (value: string) => string): string => values.map(test).join(' OR ');
      // The engine treats NaN as the greatest number; in GoogleSQL it is both the greatest and the least.
      const notANumber =
        context.returns.kind === 'FLOAT64'
          ? `WHEN ${any((value) => `isnan(${value})`)} THEN CAST('nan' AS DOUBLE) `
          : '';
      return `CASE WHEN ${any((value) => `${value} IS NULL`)} THEN NULL ${notANumber}ELSE ${name}(${values.join(', ')}) END`;
    });

export const conditionalEmitters: ScalarEmitters<typeof conditionalFunctions> = {
  if: (args) => `(CASE WHEN ${args[0]} THEN ${args[1]} ELSE ${args[2]} END)`,
  ifnull: (args) => `coalesce(${args.join(', ')})`,
  coalesce: (args) => `coalesce(${args.join(', ')})`,
  // The engine's own function computes its first argument twice, so nested calls would never end. NaN equals nothing,
  // and JSON values with different spellings may be equal.
  nullif: (args, context) =>
    bind(args, (x = '', y = '') => `CASE WHEN ${equality(x, y, context)} THEN NULL ELSE ${x} END`),
  greatest: extreme('greatest'),
  least: extreme('least'),
};
