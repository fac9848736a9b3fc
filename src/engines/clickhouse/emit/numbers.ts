import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import type { CallArgument, CallExpr } from '../../../googlesql/resolve/tree.ts';
import { roundedFloat } from './casts.ts';
import { notPushed } from './notPushed.ts';
import { argument, constant, nameOf, type Place, type PushedFunction } from './place.ts';

/** Less than half of the distance between the two largest FLOAT64, so adding it to any number is rounded away. */
const roundedAway = 2 ** 969;

const sizeOf = (arg: CallArgument | undefined): number | undefined => {
  const value = constant(arg, 'number');
  return value === undefined ? undefined : Math.abs(value);
};

/** Whether operands cannot exceed FLOAT64, as in `x / 1000`, which would be an error. */
function staysFinite(operator: string, { args }: CallExpr, { cells }: Place): boolean {
  const areWhole = args.every((arg) => arg.kind === 'cast' && arg.value.type.kind === 'INT64');
  const sizes = args.map(sizeOf);
  switch (operator) {
    case '+':
    case '-':
      return areWhole || sizes.some((size) => size !== undefined && size < roundedAway);
    case '*':
      return areWhole || sizes.some((size) => size !== undefined && size <= 1);
    default:
      return (sizes[1] ?? 0) >= 1 || isGroupSize(args[1], cells);
  }
}

/** Whether a divisor is the number of events in a group. */
function isGroupSize(arg: CallArgument | undefined, cells: Place['cells']): boolean {
  if (arg?.kind !== 'cast' || arg.value.type.kind !== 'INT64' || arg.value.kind !== 'column') return false;
  const cell = cells.get(arg.value.column);
  return cell?.kind === 'value' && cell.isGroupSize === true;
}

/** FLOAT64 arithmetic that cannot fail. INT64 arithmetic fails beyond 64 bits, and so may run only on rows of the answer. */
const arithmetic =
  (operator: '+' | '-' | '*' | '/'): PushedFunction =>
  (call, place) => {
    if (call.type.kind !== 'FLOAT64') notPushed(`${nameOf(call.fn)} of ${call.type.kind}, which may overflow`);
    if (!staysFinite(operator, call, place)) notPushed(`${nameOf(call.fn)} of FLOAT64, which may fail`);
    return `(${argument(call, 0, place)} ${operator} ${argument(call, 1, place)})`;
  };

/** SAFE_ADD and the like: NULL for what would fail. */
const safe =
  (operator: '+' | '-' | '*'): PushedFunction =>
  (call, place) => {
    const [x, y] = [argument(call, 0, place), argument(call, 1, place)];
    if (call.type.kind === 'INT64') return `accurateCastOrNull(toInt128(${x}) ${operator} toInt128(${y}), 'Int64')`;
    return call.type.kind === 'FLOAT64' ? finiteOrNull(`(${x} ${operator} ${y})`, x, y) : notPushed(nameOf(call.fn));
  };

/** NULL if the result is not finite although its operands are. */
const finiteOrNull = (result: string, x: string, y: string): string =>
  `if(NOT isFinite(${result}) AND isFinite(${x}) AND isFinite(${y}), NULL, ${result})`;

const safeDivide: PushedFunction = (call, place) => {
  const [x, y] = [argument(call, 0, place), argument(call, 1, place)];
  return `if(ifNull(${y} = 0, false), NULL, ${finiteOrNull(`(${x} / ${y})`, x, y)})`;
};

/** By a constant greater than zero, which cannot fail. */
const division =
  (write: (x: string, by: bigint) => string): PushedFunction =>
  (call, place) => {
    const by = constant(call.args[1], 'bigint');
    if (call.type.kind !== 'INT64' || by === undefined || by <= 0n)
      return notPushed(`${nameOf(call.fn)} by a value that may be zero`);
    return write(argument(call, 0, place), by);
  };

const ofFloat =
  (write: (x: string) => string): PushedFunction =>
  (call, place) => {
    if (call.type.kind !== 'FLOAT64' || call.args.length !== 1) notPushed(`${nameOf(call.fn)} with these arguments`);
    return write(argument(call, 0, place));
  };

const test =
  (name: string): PushedFunction =>
  (call: CallExpr, place: Place) =>
    `(${name}(${argument(call, 0, place)}) = 1)`;

export const numberFunctions = {
  $add: arithmetic('+'),
  $sub: arithmetic('-'),
  $mul: arithmetic('*'),
  $div: arithmetic('/'),
  $neg: ofFloat((x) => `(-${x})`),
  safe_add: safe('+'),
  safe_subtract: safe('-'),
  safe_multiply: safe('*'),
  safe_divide: safeDivide,
  mod: division((x, by) => `(${x} % toInt64(${by}))`),
  div: division((x, by) => `intDiv(${x}, toInt64(${by}))`),
  abs: ofFloat((x) => `abs(${x})`),
  floor: ofFloat((x) => `floor(${x})`),
  ceil: ofFloat((x) => `ceil(${x})`),
  ceiling: ofFloat((x) => `ceil(${x})`),
  trunc: ofFloat((x) => `trunc(${x})`),
  round: ofFloat(roundedFloat),
  is_nan: test('isNaN'),
  is_inf: test('isInfinite'),
} satisfies Partial<Record<FunctionName, PushedFunction>>;
