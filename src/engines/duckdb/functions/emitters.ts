import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import { aggregateEmitters } from './aggregates.ts';
import { arrayEmitters } from './arrays.ts';
import { conditionalEmitters } from './conditionals.ts';
import { datetimeEmitters } from './datetimes.ts';
import type { EmitAggregate, EmitContext, EmitFunction, EmittedCall } from './emitContext.ts';
import { hashEmitters } from './hashes.ts';
import { jsonEmitters } from './json.ts';
import { mathEmitters } from './maths.ts';
import { networkEmitters } from './networks.ts';
import { operatorEmitters } from './operators.ts';
import { regexpEmitters } from './regexps.ts';
import { stringEmitters } from './strings.ts';
import { timestampEmitters } from './timestamps.ts';
import { windowEmitters } from './windows.ts';

const aggregates = { ...aggregateEmitters, ...windowEmitters };

const scalars = {
  ...operatorEmitters,
  ...conditionalEmitters,
  ...mathEmitters,
  ...stringEmitters,
  ...regexpEmitters,
  ...jsonEmitters,
  ...timestampEmitters,
  ...datetimeEmitters,
  ...arrayEmitters,
  ...hashEmitters,
  ...networkEmitters,
};

/** Names of aggregate and window functions. */
export type AggregateName = keyof typeof aggregates;
/** Names of scalar functions. */
export type ScalarName = Exclude<FunctionName, AggregateName>;

/** Emitters of all scalar functions; a missing one does not compile. */
export const scalarEmitters: Readonly<Record<ScalarName, EmitFunction>> = scalars;

/** Emitters of all aggregate and window functions. */
export const aggregateAndWindowEmitters: Readonly<Record<AggregateName, EmitAggregate>> = aggregates;

const byName: Readonly<Record<FunctionName, EmitAggregate>> = { ...scalars, ...aggregates };

/** Writes a call of any function. For a scalar function, the result is plain SQL. */
export function emitFunction(name: FunctionName, args: readonly string[], context: EmitContext): EmittedCall {
  return byName[name](args, context);
}
