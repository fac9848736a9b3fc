import type { ParameterValue } from '../googlesql/resolve/parameterValue.ts';

/** A converted value of a parameter, or why it does not fit its declaration. */
export type Conversion =
  | { readonly kind: 'ok'; readonly value: ParameterValue }
  | {
      readonly kind: 'bad';
      readonly code: 'parameter.invalid' | 'parameter.too_long';
      /** Completes "the parameter …": `must be a whole number`. */
      readonly problem: string;
      /** Set if the value is only not in `allowed`, so that `on_unknown: default` can replace it. */
      readonly isUnknown?: true;
      readonly allowed?: readonly string[];
      readonly nearest?: string;
      /** The element of an array that has the problem; counted from 1. */
      readonly element?: { readonly number: number; readonly text: string };
      /** Place of the problem in the value, in characters from 1. */
      readonly column?: number;
    };
