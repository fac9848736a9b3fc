import type { operatorFunctions } from '../../../googlesql/functions/operators.ts';
import { comparison, distinctJson, equality, inList } from './comparisons.ts';
import { elementEmitter } from './elements.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import { emitExtract } from './extract.ts';
import { areWhole, finiteOr, floats, overflow } from './floats.ts';
import { emitInterval, withinIntervals } from './intervals.ts';
import { jsonInText } from './jsonInText.ts';
import { alsoOfBytes } from './latin1.ts';
import { like, likeOfArray } from './like.ts';
import {
  argument,
  attempt,
  bind,
  bindInLambda,
  checked,
  constantNumber,
  failure,
  joinedBytes,
  joinedLists,
  joinedText,
} from './sqlFragments.ts';
import { withinYears } from './years.ts';

type Operators = typeof operatorFunctions;

/** INT64 arithmetic; overflow is an error. */
const wholeNumbers =
  (operator: string, what: string): EmitFunction =>
  (args, context) =>
    checked(args, context, `${what} is beyond the range of INT64.`, (x, y) => `(${x} ${operator} ${y})`);

/** Arithmetic of INTERVALs, as the engine does it. */
const intervals =
  (operator: string): EmitFunction =>
  (args, context) =>
    withinIntervals(args, context, (x, y) => `(${x} ${operator} ${y})`);

/** Arithmetic with INTERVAL, INT64 or FLOAT64, by the type of the result. */
const arithmetic =
  (operator: '+' | '-' | '*', what: string): EmitFunction =>
  (args, context) => {
    switch (context.returns.kind) {
      case 'INT64':
        return wholeNumbers(operator, what)(args, context);
      case 'FLOAT64':
        return floats(operator, what)(args, context);
      default:
        return intervals(operator)(args, context);
    }
  };

/** Times and intervals; the difference of TIMESTAMPs is in hours and shorter units, others also in days. */
const subtract: EmitFunction = (args, context) => {
  const [x, y] = args;
  const [left, right] = context.argTypes.map((type) => type.kind);
  if (left === 'TIMESTAMP' && right === 'TIMESTAMP') return `to_microseconds(epoch_us(${x}) - epoch_us(${y}))`;
  if (left === 'DATE' && right === 'DATE') return `to_days(CAST(${x} - ${y} AS INTEGER))`;
  if (left === 'DATE' && right === 'INT64') return addDays('-', args, context);
  if (left === 'DATETIME' && right === 'DATETIME') return intervals('-')(args, context);
  if (isTime(left)) return shiftedTime('-', args, context);
  return arithmetic('-', 'The difference')(args, context);
};

const add: EmitFunction = (args, context) => {
  const [x = '', y = ''] = args;
  const [left, right] = context.argTypes.map((type) => type.kind);
  if (left === 'DATE' && right === 'INT64') return addDays('+', args, context);
  if (left === 'INT64' && right === 'DATE') return addDays('+', [y, x], context);
  if (isTime(left) || isTime(right)) return shiftedTime('+', args, context);
  return arithmetic('+', 'The sum')(args, context);
};

const isTime = (kind: string | undefined): boolean => kind === 'TIMESTAMP' || kind === 'DATETIME' || kind === 'DATE';

const addDays = (sign: '+' | '-', args: readonly string[], context: EmitContext): string =>
  withinYears('DATE', 'The date', args, context, (date, days) => `(${date} ${sign} CAST(${days} AS INTEGER))`);

/** In the engine, DATE plus INTERVAL is a TIMESTAMP, which represents DATETIME. */
const shiftedTime = (sign: '+' | '-', args: readonly string[], context: EmitContext): string =>
  withinYears('TIMESTAMP', 'The time', args, context, (x, y) => `(${x} ${sign} ${y})`);

export const divisionByZero = 'Division by zero. SAFE_DIVIDE gives NULL instead.';

/** Zero is an error unless the other side is NULL; a value that is known not to be zero needs no check. */
const divide: EmitFunction = (args, context) => {
  if (context.argTypes[0]?.kind === 'INTERVAL') {
    return bind(
      args,
      (span, n) => `(${span} / CASE WHEN ${n} = 0 THEN ${failure(context, divisionByZero)} ELSE ${n} END)`,
    );
  }
  const constant = constantNumber(context, 1);
  if ((constant !== undefined && constant !== 0) || context.positive?.[1] === true)
    return floats('/', 'The quotient')(args, context);
  return bind(args, (x = '', y = '') => {
    const quotient = `(${x} / ${y})`;
    const finite = areWhole(context) ? quotient : finiteOr(overflow(context, 'The quotient'), quotient, x, y);
    return `CASE WHEN ${y} = 0 AND ${x} IS NOT NULL THEN ${failure(context, divisionByZero)} ELSE ${finite} END`;
  });
};

/** GoogleSQL shifts bits without regard to the sign; the engine does so only for BIT. */
const shift =
  (operator: '<<' | '>>'): EmitFunction =>
  (args, context) =>
    bind(
      args,
      (x, y) =>
        `CASE WHEN ${x} IS NULL OR ${y} IS NULL THEN NULL WHEN ${y} < 0 THEN ${failure(context, 'A shift by a negative number of bits is not defined.')} WHEN ${y} > 63 THEN 0 ELSE CAST(CAST(${x} AS BIT) ${operator} CAST(${y} AS INTEGER) AS BIGINT) END`,
    );

/** The engine finds STRUCTs with NULLs among others; in three-valued logic, such a field makes the result NULL. */
const inStructs = (args: readonly string[], context: EmitContext): string =>
  bindInLambda(args, (x = '', list) => {
    const some = (test: string): string =>
      `len(list_filter(${list}, lambda e: ${equality(x, 'e', context)} ${test})) > 0`;
    return `CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN FALSE WHEN ${x} IS NULL THEN NULL WHEN ${some('IS TRUE')} THEN TRUE WHEN ${some('IS NULL')} THEN NULL ELSE FALSE END`;
  });

const joined =
  (operator: 'AND' | 'OR'): EmitFunction =>
  (args) =>
    `(${args.join(` ${operator} `)})`;

/** Emitters of the operators. Meaning: GoogleSQL reference, "operators"; googlesql.md, section 3. */
export const operatorEmitters: ScalarEmitters<Operators> = {
  $add: add,
  $sub: subtract,
  $mul: arithmetic('*', 'The product'),
  $div: divide,
  $neg: (args, context) =>
    context.returns.kind === 'INT64'
      ? checked(args, context, 'The negative is beyond the range of INT64.', (x) => `(-(${x}))`)
      : attempt(args, context, (x) => `(-(${x}))`),
  $concat_op: (args, context) => {
    if (context.returns.kind === 'ARRAY') return joinedLists(args, context, '||');
    return context.returns.kind === 'BYTES' ? joinedBytes(args, context, '||') : joinedText(args, context, '||');
  },
  $bitand: (args) => `(${args.join(' & ')})`,
  $bitor: (args) => `(${args.join(' | ')})`,
  $bitxor: (args) => `xor(${args.join(', ')})`,
  $bitnot: (args) => `(~(${argument(args, 0)}))`,
  $shl: shift('<<'),
  $shr: shift('>>'),
  $eq: comparison('='),
  $ne: comparison('<>'),
  $lt: comparison('<'),
  $le: comparison('<='),
  $gt: comparison('>'),
  $ge: comparison('>='),
  $between: (args, context) => {
    const [x = '', low = '', high = ''] = args;
    if (context.argTypes[0]?.kind !== 'JSON') return `(${x} BETWEEN ${low} AND ${high})`;
    return bind([x, low, high], (value = '', least = '', most = '') => {
      const atLeast = comparison('>=')([value, least], context);
      return `${atLeast} AND ${comparison('<=')([value, most], context)}`;
    });
  },
  $in: inList,
  $in_array: (args, context) => {
    if (context.argTypes[0]?.kind === 'JSON') {
      return bindInLambda(
        args,
        (x, list) =>
          `CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN FALSE WHEN ${x} IS NULL THEN NULL WHEN len(list_filter(${list}, lambda e: CAST(e AS VARCHAR) = CAST(${x} AS VARCHAR))) > 0 THEN TRUE WHEN list_count(${list}) < len(${list}) THEN NULL ELSE FALSE END`,
      );
    }
    if (context.argTypes[0]?.kind === 'STRUCT') return inStructs(args, context);
    // NaN equals nothing, not even itself, but the engine says it does.
    const isNumber = (x?: string) => (context.argTypes[0]?.kind === 'FLOAT64' ? ` AND NOT isnan(${x})` : '');
    return bind(
      args,
      (x, list) =>
        `CASE WHEN ${list} IS NULL OR len(${list}) = 0 THEN FALSE WHEN ${x} IS NULL THEN NULL WHEN list_contains(${list}, ${x})${isNumber(x)} THEN TRUE WHEN list_count(${list}) < len(${list}) THEN NULL ELSE FALSE END`,
    );
  },
  $like: alsoOfBytes(like('exact')),
  $ilike: like('ignoringCase'),
  $like_any: alsoOfBytes(likeOfArray('exact', 'any')),
  $like_all: alsoOfBytes(likeOfArray('exact', 'all')),
  $ilike_any: likeOfArray('ignoringCase', 'any'),
  $ilike_all: likeOfArray('ignoringCase', 'all'),
  $is_null: (args) => `(${argument(args, 0)} IS NULL)`,
  $is_true: (args) => `(${argument(args, 0)} IS TRUE)`,
  $is_false: (args) => `(${argument(args, 0)} IS FALSE)`,
  $is_distinct: (args, context) =>
    context.argTypes[0]?.kind === 'JSON' ? distinctJson(args) : `(${args.join(' IS DISTINCT FROM ')})`,
  $and: joined('AND'),
  $or: joined('OR'),
  $not: (args) => `(NOT (${argument(args, 0)}))`,
  $extract: emitExtract,
  $array_at: elementEmitter({ first: 0, isSafe: false }),
  $ordinal_at: elementEmitter({ first: 1, isSafe: false }),
  $safe_array_at: elementEmitter({ first: 0, isSafe: true }),
  $safe_ordinal_at: elementEmitter({ first: 1, isSafe: true }),
  $json_in_text: jsonInText,
  $interval: emitInterval,
};
