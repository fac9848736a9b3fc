import { scalar } from './declare.ts';

const float = ['x FLOAT64 => FLOAT64'] as const;

/** Mathematical functions (GoogleSQL reference, "mathematical functions"). */
export const mathFunctions = [
  scalar('abs', ['x NUMBER => NUMBER'], 'The absolute value.', 'SELECT ABS(-1)'),
  scalar('sign', ['x NUMBER => NUMBER'], '-1, 0 or 1.', 'SELECT SIGN(-5)'),
  scalar(
    'round',
    ['x FLOAT64, digits? INT64 => FLOAT64'],
    'Rounds to an integer, or to a number of digits after the decimal point. Halves are rounded away from zero.',
    'SELECT ROUND(2.5)',
  ),
  scalar('trunc', ['x FLOAT64, digits? INT64 => FLOAT64'], 'Rounds towards zero.', 'SELECT TRUNC(-2.7)'),
  scalar('floor', float, 'The largest integer that is not greater.', 'SELECT FLOOR(-2.5)'),
  scalar('ceil', float, 'The smallest integer that is not smaller.', 'SELECT CEIL(2.1)'),
  scalar('ceiling', float, 'The smallest integer that is not smaller.', 'SELECT CEILING(2.1)'),
  scalar(
    'mod',
    ['x INT64, y INT64 => INT64'],
    'The remainder, with the sign of the first value. Division by zero is an error.',
    'SELECT MOD(7, 2)',
  ),
  scalar(
    'div',
    ['x INT64, y INT64 => INT64'],
    'Integer division, rounded towards zero. Division by zero is an error.',
    'SELECT DIV(7, 2)',
  ),
  scalar(
    'safe_divide',
    ['x FLOAT64, y FLOAT64 => FLOAT64'],
    'Division that gives NULL instead of an error.',
    'SELECT SAFE_DIVIDE(1, 0)',
  ),
  scalar('safe_add', ['x NUMBER, y NUMBER => NUMBER'], 'Addition, or NULL on overflow.', 'SELECT SAFE_ADD(1, 2)'),
  scalar(
    'safe_subtract',
    ['x NUMBER, y NUMBER => NUMBER'],
    'Subtraction, or NULL on overflow.',
    'SELECT SAFE_SUBTRACT(1, 2)',
  ),
  scalar(
    'safe_multiply',
    ['x NUMBER, y NUMBER => NUMBER'],
    'Multiplication, or NULL on overflow.',
    'SELECT SAFE_MULTIPLY(2, 3)',
  ),
  scalar('safe_negate', ['x NUMBER => NUMBER'], 'Negation, or NULL on overflow.', 'SELECT SAFE_NEGATE(1)'),
  scalar(
    'ieee_divide',
    ['x FLOAT64, y FLOAT64 => FLOAT64'],
    'Division that gives infinity or NaN instead of an error.',
    'SELECT IEEE_DIVIDE(1, 0)',
  ),
  scalar('sqrt', float, 'The square root. A negative value is an error.', 'SELECT SQRT(25)'),
  scalar('pow', ['x FLOAT64, y FLOAT64 => FLOAT64'], '`x` to the power of `y`.', 'SELECT POW(2, 3)'),
  scalar('power', ['x FLOAT64, y FLOAT64 => FLOAT64'], '`x` to the power of `y`.', 'SELECT POWER(2, 3)'),
  scalar('exp', float, 'e to the power of `x`.', 'SELECT EXP(0)'),
  scalar('ln', float, 'The natural logarithm. A value of zero or less is an error.', 'SELECT LN(1)'),
  scalar(
    'log',
    ['x FLOAT64, base? FLOAT64 => FLOAT64'],
    'The logarithm to a base (default: e). A value of zero or less is an error.',
    'SELECT LOG(100, 10)',
  ),
  scalar('log10', float, 'The logarithm to base 10. A value of zero or less is an error.', 'SELECT LOG10(100)'),
  scalar('is_nan', ['x FLOAT64 => BOOL'], 'Whether the value is NaN.', "SELECT IS_NAN(CAST('nan' AS FLOAT64))"),
  scalar('is_inf', ['x FLOAT64 => BOOL'], 'Whether the value is infinite.', "SELECT IS_INF(CAST('inf' AS FLOAT64))"),
  scalar('sin', float, 'The sine.', 'SELECT SIN(0)'),
  scalar('cos', float, 'The cosine.', 'SELECT COS(0)'),
  scalar('tan', float, 'The tangent.', 'SELECT TAN(0)'),
  scalar('asin', float, 'The arcsine. A value outside −1 to 1 is an error.', 'SELECT ASIN(0)'),
  scalar('acos', float, 'The arccosine. A value outside −1 to 1 is an error.', 'SELECT ACOS(1)'),
  scalar('atan', float, 'The arctangent.', 'SELECT ATAN(0)'),
  scalar(
    'atan2',
    ['x FLOAT64, y FLOAT64 => FLOAT64'],
    'The arctangent of `x` / `y`; the signs of both determine the quadrant.',
    'SELECT ATAN2(0, 1)',
  ),
  scalar(
    'bit_count',
    ['x INT64 => INT64', 'x BYTES => INT64'],
    'The number of bits that are 1.',
    'SELECT BIT_COUNT(5)',
  ),
  scalar('rand', [' => FLOAT64'], 'A random number from 0 up to, but not including, 1.', 'SELECT RAND()', {
    isVolatile: true,
  }),
] as const;
