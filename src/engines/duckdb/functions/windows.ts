import type { windowFunctions } from '../../../googlesql/functions/windows.ts';
import type { AggregateEmitters, EmitAggregate } from './emitContext.ts';
import { percentile } from './percentiles.ts';
import { constantNumber, failedAggregate } from './sqlFragments.ts';

/** A navigation function, without NULLs if requested. */
const navigation =
  (name: string): EmitAggregate =>
  (args, context) =>
    `${name}(${args.join(', ')}${context.modifiers?.nulls === 'ignore' ? ' IGNORE NULLS' : ''})`;

const offsetFrom =
  (name: 'lag' | 'lead'): EmitAggregate =>
  (args, context) => {
    const offset = constantNumber(context, 1);
    if (args.length > 1 && (offset === undefined || offset < 0)) {
      return failedAggregate(context, `The offset of ${name.toUpperCase()} must be zero or more.`);
    }
    return navigation(name)(args, context);
  };

const positive =
  (name: 'ntile' | 'nth_value', index: number): EmitAggregate =>
  (args, context) => {
    const count = constantNumber(context, index);
    if (count === undefined || count < 1)
      return failedAggregate(context, `${name.toUpperCase()} needs a number of 1 or more.`);
    return navigation(name)(args, context);
  };

export const windowEmitters: AggregateEmitters<typeof windowFunctions> = {
  row_number: navigation('row_number'),
  rank: navigation('rank'),
  dense_rank: navigation('dense_rank'),
  percent_rank: navigation('percent_rank'),
  cume_dist: navigation('cume_dist'),
  ntile: positive('ntile', 0),
  first_value: navigation('first_value'),
  last_value: navigation('last_value'),
  nth_value: positive('nth_value', 1),
  lag: offsetFrom('lag'),
  lead: offsetFrom('lead'),
  percentile_cont: percentile('quantile_cont'),
  percentile_disc: percentile('quantile_disc'),
};
