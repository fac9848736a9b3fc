import type { mathFunctions } from '../../../googlesql/functions/maths.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { finiteOr, floats } from './floats.ts';
import { divisionByZero } from './operators.ts';
import { argument, attempt, bind, checked, constantNumber, failure } from './sqlFragments.ts';

const engine =
  (name: string): EmitFunction =>
  (args) =>
    `${name}(${args.join(', ')})`;

/** An error with our sentence if `isOutside` holds, instead of the engine's. */
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

/** An infinite result of finite arguments is an overflow in GoogleSQL. */
const finite =
  (sentence: string, body: (...names: readonly string[]) => string): EmitFunction =>
  (args, context) =>
    bind(args, (...names) => finiteOr(failure(context, sentence), body(...names), ...names));

/** For infinities the result is NaN, but the engine fails. */
const ofAngle =
  (name: 'sin' | 'cos' | 'tan'): EmitFunction =>
  (args) =>
    bind(args, (x) => `CASE WHEN isinf(${x}) THEN CAST('nan' AS DOUBLE) ELSE ${name}(${x}) END`);

const smallestInteger = `CAST('-9223372036854775808' AS BIGINT)`;

const integerDivision =
  (operator: '//' | '%'): EmitFunction =>
  (args, context) => {
    const divisor = constantNumber(context, 1);
    if (divisor !== undefined && divisor > 0) return `(${args.join(` ${operator} `)})`;
    return bind(args, (x = '', y = '') => {
      const minusOne =
        operator === '%'
          ? `WHEN ${y} = -1 AND ${x} IS NOT NULL THEN 0`
          : `WHEN ${y} = -1 AND ${x} = ${smallestInteger} THEN ${failure(context, 'The result of DIV is beyond the range of INT64.')}`;
      return `CASE WHEN ${y} = 0 AND ${x} IS NOT NULL THEN ${failure(context, divisionByZero)} ${minusOne} ELSE ${x} ${operator} ${y} END`;
    });
  };

const safeInfix =
  (operator: '+' | '-' | '*' | '/'): EmitFunction =>
  (args, context) => {
    const safe = { ...context, safe: true };
    if (context.returns.kind === 'FLOAT64') return floats(operator, '')(args, safe);
    return attempt(args, safe, (x, y) => `(${x} ${operator} ${y})`);
  };

/** Beyond these, a double has no digits left, and the engine accepts only INTEGER. */
const boundedDigits = (digits: string): string => `CAST(greatest(-400, least(400, ${digits})) AS INTEGER)`;

/** ROUND and TRUNC; digits after the point are those of the exact value. */
const rounded =
  (name: 'round' | 'trunc'): EmitFunction =>
  (args, context) => {
    const [x = '', digits] = args;
    if (digits === undefined) return `${name}(${x})`;
    const constant = constantNumber(context, 1);
    if (constant !== undefined && constant <= 0 && constant > -300) {
      return bind(
        [x],
        (value = '') =>
          `CASE WHEN isfinite(${value}) THEN ${name}(${value}, ${boundedDigits(digits)}) ELSE ${value} END`,
      );
    }
    return bind([x, constant === undefined ? digits : String(Math.min(constant, 400))], (value, n = '') => {
      const toLeft = leftOfPoint(name, value ?? '', n, context);
      const exact = name === 'round' ? roundedAfterPoint(value ?? '', n) : truncatedAfterPoint(value ?? '', n);
      return `CASE WHEN ${n} IS NULL OR ${value} IS NULL THEN NULL WHEN NOT isfinite(${value}) THEN ${value} WHEN ${n} <= 0 THEN ${toLeft} WHEN ${n} > 300 OR abs(${value}) >= 4503599627370496 THEN ${value} ELSE ${exact} END`;
    });
  };

/** Only rounding to 10^308 can exceed FLOAT64; the engine returns zero if it cannot multiply. */
function leftOfPoint(name: 'round' | 'trunc', value: string, digits: string, context: EmitContext): string {
  const tooMuch = failure(context, 'The result of ROUND is beyond the range of FLOAT64.');
  const size = `abs(${value})`;
  const toLargest = {
    round: `CASE WHEN ${size} >= 1.5e308 THEN ${tooMuch} WHEN ${size} >= 5e307 THEN sign(${value}) * 1e308 ELSE 0 END`,
    trunc: `CASE WHEN ${size} >= 1e308 THEN sign(${value}) * 1e308 ELSE 0 END`,
  }[name];
  return `CASE WHEN ${digits} < -308 THEN 0 WHEN ${digits} = -308 THEN ${toLargest} ELSE ${name}(${value}, ${boundedDigits(digits)}) END`;
}

/**
 * The engine multiplies before it rounds, which makes 2.675 a tie although it is not one. Its printf uses the exact
 * value, but rounds ties to even; only values that end within n + 1 binary digits can be ties.
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

/** LOG with a base. GoogleSQL fails only on finite numbers; for -inf, NaN and an infinite base the result is NaN. */
const logarithm = (args: readonly string[], context: EmitContext): string =>
  bind(args, (x = '', base = '') => {
    const sentence = 'LOG is defined for numbers greater than zero and a base other than 1 only.';
    const isOutside = `${x} <= 0 OR ${base} <= 0 OR ${base} = 1`;
    const ofNumbers = `CASE WHEN ${isOutside} THEN ${failure(context, sentence)} ELSE ln(${x}) / ln(${base}) END`;
    const ofInfinity = `CASE WHEN ${base} < 1 THEN -${x} ELSE ${x} END`;
    return `CASE WHEN isfinite(${x}) AND isfinite(${base}) THEN ${ofNumbers} WHEN ${x} IS NULL OR ${base} IS NULL THEN NULL WHEN ${x} = ${infinity} AND isfinite(${base}) AND ${base} > 0 THEN ${ofInfinity} ELSE CAST('nan' AS DOUBLE) END`;
  });

const infinity = "CAST('inf' AS DOUBLE)";

/** A logarithm with a fixed base. */
const fixedLogarithm = (name: string, engineName: string): EmitFunction =>
  within(
    (x) => `${x} <= 0 AND isfinite(${x})`,
    positiveOnly(name),
    (x) => `CASE WHEN ${x} < 0 THEN CAST('nan' AS DOUBLE) ELSE ${engineName}(${x}) END`,
  );

const positiveOnly = (name: string): string => `${name} is defined for numbers greater than zero only.`;

/** For infinities and NaN, the result is NaN. */
const ofUnit = (name: 'asin' | 'acos'): EmitFunction =>
  within(
    (x) => `abs(${x}) > 1 AND isfinite(${x})`,
    `${name.toUpperCase()} is defined from -1 to 1 only.`,
    (x) => `CASE WHEN isfinite(${x}) THEN ${name}(${x}) WHEN ${x} IS NOT NULL THEN CAST('nan' AS DOUBLE) END`,
  );

/** The engine has no empty bit string, and makes bit strings even for values that a CASE excludes. */
const bitsOfBytes: EmitFunction = (args) =>
  bind(args, (bytes) => {
    const bits = `CAST(CASE WHEN octet_length(${bytes}) > 0 THEN ${bytes} END AS BIT)`;
    return `CASE WHEN ${bytes} IS NOT NULL THEN coalesce(CAST(bit_count(${bits}) AS BIGINT), 0) END`;
  });

export const mathEmitters: ScalarEmitters<typeof mathFunctions> = {
  abs: (args, context) =>
    context.returns.kind === 'INT64'
      ? checked(args, context, 'The result of ABS is beyond the range of INT64.', (x) => `abs(${x})`)
      : `abs(${argument(args, 0)})`,
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
  safe_divide: (args, context) => safeInfix('/')([argument(args, 0), `nullif(${argument(args, 1)}, 0)`], context),
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
  ln: fixedLogarithm('LN', 'ln'),
  log: (args, context) => (args.length === 1 ? fixedLogarithm('LOG', 'ln')(args, context) : logarithm(args, context)),
  log10: fixedLogarithm('LOG10', 'log10'),
  is_nan: engine('isnan'),
  is_inf: engine('isinf'),
  sin: ofAngle('sin'),
  cos: ofAngle('cos'),
  tan: ofAngle('tan'),
  asin: ofUnit('asin'),
  acos: ofUnit('acos'),
  atan: engine('atan'),
  atan2: engine('atan2'),
  bit_count: (args, context) =>
    context.argTypes[0]?.kind === 'BYTES'
      ? bitsOfBytes(args, context)
      : `CAST(bit_count(${argument(args, 0)}) AS BIGINT)`,
  rand: () => 'random()',
};
