import type { mathFunctions } from '../../../googlesql/functions/maths.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { divisionByZero } from './operators.ts';
import { argument, attempt, bind, constantNumber, failure } from './sqlText.ts';

const engine =
  (name: string): EmitFunction =>
  (args) =>
    `${name}(${args.join(', ')})`;

/** An error where `isOutside` holds, our sentence in place of the engine's. */
const within =
  (
    isOutside: (...names: readonly string[]) => string,
    sentence: string,
    body: (...names: readonly string[]) => string,
  ) =>
  (args: readonly string[], context: EmitContext): string =>
    bind(
      args,
      (...names) => `CASE WHEN ${isOutside(...names)} THEN ${failure(context, sentence)} ELSE ${body(...names)} END`,
    );

/** A result that is infinite although no argument is: GoogleSQL calls that an overflow. */
const finite =
  (sentence: string, body: (...names: readonly string[]) => string): EmitFunction =>
  (args, context) =>
    bind(args, (...names) => {
      const result = body(...names);
      const allFinite = names.map((name) => `isfinite(${name})`).join(' AND ');
      return `CASE WHEN NOT isfinite(${result}) AND ${allFinite} THEN ${failure(context, sentence)} ELSE ${result} END`;
    });

const integerDivision =
  (operator: '//' | '%'): EmitFunction =>
  (args, context) => {
    const divisor = constantNumber(context, 1);
    if (divisor !== undefined && divisor > 0) return `(${args.join(` ${operator} `)})`;
    const minusOne = operator === '%' ? `WHEN @y = -1 AND @x IS NOT NULL THEN 0` : '';
    const body = (x = '', y = ''): string =>
      `CASE WHEN ${y} = 0 AND ${x} IS NOT NULL THEN ${failure(context, divisionByZero)} ${minusOne.replaceAll('@x', x).replaceAll('@y', y)} ELSE ${x} ${operator} ${y} END`;
    return context.safe ? attempt(args, context, body) : bind(args, body);
  };

const safeInfix =
  (operator: string): EmitFunction =>
  (args, context) =>
    attempt(args, { ...context, safe: true }, (x, y) => `(${x} ${operator} ${y})`);

/** Beyond these a double has no digits left, and the engine takes INTEGER only. */
const boundedDigits = (digits: string): string => `CAST(greatest(-400, least(400, ${digits})) AS INTEGER)`;

/** ROUND and TRUNC; digits after the point are those of the exact value. */
const rounded =
  (name: 'round' | 'trunc'): EmitFunction =>
  (args, context) => {
    const [x = '', digits] = args;
    if (digits === undefined) return `${name}(${x})`;
    const constant = constantNumber(context, 1);
    if (constant !== undefined && constant <= 0) return `${name}(${x}, ${boundedDigits(digits)})`;
    return bind([x, constant === undefined ? digits : String(Math.min(constant, 400))], (value, n = '') => {
      const toLeft = `${name}(${value}, ${boundedDigits(n)})`;
      const exact = name === 'round' ? roundedAfterPoint(value ?? '', n) : truncatedAfterPoint(value ?? '', n);
      const isPlain = `NOT isfinite(${value}) OR abs(${value}) >= 4503599627370496`;
      return `CASE WHEN ${n} IS NULL THEN NULL WHEN ${isPlain} THEN ${value} WHEN ${n} <= 0 THEN ${toLeft} WHEN ${n} > 300 THEN ${value} ELSE ${exact} END`;
    });
  };

/**
 * The engine multiplies before it rounds, which makes 2.675 a tie that it is not. Its printf knows
 * the exact value, but rounds ties to even; only values that end within n + 1 binary digits can be ties.
 */
function roundedAfterPoint(value: string, digits: string): string {
  const mayBeTie = `${value} * pow(2, ${digits} + 1) = trunc(${value} * pow(2, ${digits} + 1))`;
  return `CASE WHEN ${mayBeTie} AND ${digits} <= 15 THEN round(${value}, CAST(${digits} AS INTEGER)) ELSE CAST(printf('%.' || ${digits} || 'f', ${value}) AS DOUBLE) END`;
}

const truncatedAfterPoint = (value: string, digits: string): string =>
  `CAST(regexp_extract(printf('%.400f', ${value}), '^[^.]*') || left(regexp_extract(printf('%.400f', ${value}), '\\..*$'), CAST(${digits} AS INTEGER) + 1) AS DOUBLE)`;

const power = (args: readonly string[], context: EmitContext): string =>
  bind(args, (x = '', y = '') => {
    const result = `pow(${x}, ${y})`;
    const isWrong = `isfinite(${x}) AND isfinite(${y}) AND NOT isfinite(${result})`;
    return `CASE WHEN ${isWrong} THEN ${failure(context, 'POW is not defined for these numbers, or its result is beyond FLOAT64.')} ELSE ${result} END`;
  });

const positiveOnly = (name: string): string => `${name} is defined for numbers greater than zero only.`;
const unit = (x = ''): string => `abs(${x}) > 1`;

export const mathEmitters: ScalarEmitters<typeof mathFunctions> = {
  abs: (args, context) => attempt(args, context, (x) => `abs(${x})`),
  sign: (args, context) =>
    context.returns.kind === 'INT64'
      ? `CAST(sign(${argument(args, 0)}) AS BIGINT)`
      : bind(args, (x = '') => `CASE WHEN isnan(${x}) THEN ${x} ELSE CAST(sign(${x}) AS DOUBLE) END`),
  round: rounded('round'),
  trunc: rounded('trunc'),
  floor: engine('floor'),
  ceil: engine('ceil'),
  ceiling: engine('ceil'),
  mod: integerDivision('%'),
  div: integerDivision('//'),
  safe_divide: (args) => `(${argument(args, 0)} / nullif(${argument(args, 1)}, 0))`,
  safe_add: safeInfix('+'),
  safe_subtract: safeInfix('-'),
  safe_multiply: safeInfix('*'),
  safe_negate: (args, context) => attempt(args, { ...context, safe: true }, (x) => `(-(${x}))`),
  ieee_divide: (args) => `(${argument(args, 0)} / ${argument(args, 1)})`,
  sqrt: within(
    (x) => `${x} < 0`,
    'SQRT is not defined for negative numbers.',
    (x) => `sqrt(${x})`,
  ),
  pow: power,
  power,
  exp: finite('The result of EXP is beyond FLOAT64.', (x) => `exp(${x})`),
  ln: within(
    (x) => `${x} <= 0`,
    positiveOnly('LN'),
    (x) => `ln(${x})`,
  ),
  log: (args, context) =>
    args.length === 1
      ? within(
          (x) => `${x} <= 0`,
          positiveOnly('LOG'),
          (x) => `ln(${x})`,
        )(args, context)
      : within(
          (x, base) => `${x} <= 0 OR ${base} <= 0 OR (${base} = 1 AND ${x} IS NOT NULL)`,
          'LOG is defined for numbers greater than zero and a base other than 1 only.',
          (x, base) => `ln(${x}) / ln(${base})`,
        )(args, context),
  log10: within(
    (x) => `${x} <= 0`,
    positiveOnly('LOG10'),
    (x) => `log10(${x})`,
  ),
  is_nan: engine('isnan'),
  is_inf: engine('isinf'),
  sin: engine('sin'),
  cos: engine('cos'),
  tan: engine('tan'),
  asin: within(unit, 'ASIN is defined from -1 to 1 only.', (x) => `asin(${x})`),
  acos: within(unit, 'ACOS is defined from -1 to 1 only.', (x) => `acos(${x})`),
  atan: engine('atan'),
  atan2: engine('atan2'),
  bit_count: (args) => `CAST(bit_count(${argument(args, 0)}) AS BIGINT)`,
  rand: () => 'random()',
};
