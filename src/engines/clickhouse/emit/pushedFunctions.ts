import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import { comparisonFunctions } from './comparisons.ts';
import { numberFunctions } from './numbers.ts';
import type { PushedFunction } from './place.ts';
import { textFunctions } from './texts.ts';
import { timeFunctions } from './timeFunctions.ts';

/** The scalar functions that are pushed, as far as their writers accept the arguments. The equality suite holds each. */
export const pushedFunctions: Readonly<Partial<Record<FunctionName, PushedFunction>>> = {
  ...comparisonFunctions,
  ...numberFunctions,
  ...textFunctions,
  ...timeFunctions,
};
