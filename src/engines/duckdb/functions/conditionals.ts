import type { conditionalFunctions } from '../../../googlesql/functions/conditionals.ts';
import { comparison } from './comparisons.ts';
import type { EmitFunction, ScalarEmitters } from './emitContext.ts';
import { bind } from './sqlText.ts';

/** The engine leaves NULLs out; GoogleSQL answers NULL. */
const extreme =
  (name: 'greatest' | 'least'): EmitFunction =>
  (args) =>
    bind(args, (...values) => {
      const isNull = values.map((value) => `${value} IS NULL`).join(' OR ');
      return `CASE WHEN ${isNull} THEN NULL ELSE ${name}(${values.join(', ')}) END`;
    });

export const conditionalEmitters: ScalarEmitters<typeof conditionalFunctions> = {
  if: (args) => `(CASE WHEN ${args[0]} THEN ${args[1]} ELSE ${args[2]} END)`,
  ifnull: (args) => `coalesce(${args.join(', ')})`,
  coalesce: (args) => `coalesce(${args.join(', ')})`,
  nullif: (args, context) =>
    context.argTypes[0]?.kind === 'JSON'
      ? bind(args, (x = '', y = '') => `CASE WHEN ${comparison('=')([x, y], context)} THEN NULL ELSE ${x} END`)
      : // In a correlated subquery the engine loses the name of a struct's field whose value is a bare NULLIF.
        `coalesce(nullif(${args.join(', ')}))`,
  greatest: extreme('greatest'),
  least: extreme('least'),
};
