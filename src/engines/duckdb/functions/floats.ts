import type { EmitContext, EmitFunction } from './emitContext.ts';
import { bind, constantNumber, failure } from './sqlFragments.ts';

type Operator = '+' | '-' | '*' | '/';

export const overflow = (context: EmitContext, what: string): string =>
  failure(context, `${what} is beyond the range of FLOAT64.`);

/** `result`, or `otherwise` if it is not finite although all of its inputs are. */
export function finiteOr(otherwise: string, result: string, ...numbers: readonly string[]): string {
  const isTooLarge = [`NOT isfinite(${result})`, ...numbers.map((number) => `isfinite(${number})`)].join(' AND ');
  return `CASE WHEN ${isTooLarge} THEN ${otherwise} ELSE ${result} END`;
}

/** FLOAT64 arithmetic: overflow is an error, but given infinities are not. */
export const floats =
  (operator: Operator, what: string): EmitFunction =>
  (args, context) => {
    if (staysFinite(operator, context)) return `(${args.join(` ${operator} `)})`;
    return bind(args, (x = '', y = '') => {
      const unknown = [x, y].filter((_, i) => context.finite?.[i] !== true);
      return finiteOr(overflow(context, what), `(${x} ${operator} ${y})`, ...unknown);
    });
  };

/** Less than half of the distance between the two largest numbers, so adding it to any number is rounded away. */
const roundedAway = 2 ** 969;

/** Whether both operands were INT64: one operation on two of them stays far within FLOAT64. */
export function areWhole({ wholeNumbers }: EmitContext): boolean {
  return wholeNumbers?.length === 2 && wholeNumbers.every(Boolean);
}

/** Multiplied by any INT64, it stays far within FLOAT64. */
const timesWhole = 2 ** 900;

const isWholeAt = ({ wholeNumbers }: EmitContext, index: number): boolean => wholeNumbers?.[index] === true;

/** Whether the operands cannot overflow, as in `x / 1000.0`, `x + 1` or `100.0 * count(*)`. */
function staysFinite(operator: Operator, context: EmitContext): boolean {
  if (areWhole(context)) return true;
  const sizes = [0, 1].map((i) => {
    const constant = constantNumber(context, i);
    return constant === undefined ? undefined : Math.abs(constant);
  });
  switch (operator) {
    case '+':
    case '-':
      return sizes.some((size) => size !== undefined && size < roundedAway);
    case '*':
      return sizes.some((size, i) => size !== undefined && size <= (isWholeAt(context, 1 - i) ? timesWhole : 1));
    case '/':
      return (sizes[1] ?? 0) >= 1 || (context.positive?.[1] === true && isWholeAt(context, 1));
  }
}
