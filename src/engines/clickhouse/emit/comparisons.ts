import type { FunctionName } from '../../../googlesql/functions/catalogue.ts';
import type { CallArgument, CallExpr, LiteralExpr } from '../../../googlesql/resolve/tree.ts';
import { timestampLiteral } from '../sqlText.ts';
import { isElementOfJson, memberOfArray } from './jsonElements.ts';
import { engineType } from './literal.ts';
import { notPushed } from './notPushed.ts';
import { argument, nameOf, type Place, type PushedFunction } from './place.ts';

/** Types whose values ClickHouse compares like GoogleSQL: NaN equals nothing, texts are ordered by code point. */
function checkComparable({ args, fn }: CallExpr): void {
  for (const arg of args) {
    if (arg.kind === 'part' || arg.type.kind === 'JSON') notPushed(`${nameOf(fn)} of nested values`);
    engineType(arg.type);
  }
}

/** Times that a DateTime64(6) can be compared with. */
const isComparableTime = (micros: bigint): boolean => micros > -(2n ** 62n) && micros < 2n ** 62n;

/** Both sides of a comparison. A stored column is compared itself, so that ClickHouse uses its index. */
function sides(left: CallArgument, right: CallArgument, place: Place): readonly [string, string] {
  const asStored = (column: CallArgument, literal: CallArgument): readonly [string, string] | null => {
    const stored = place.stored(column);
    if (stored === null || literal.kind !== 'literal') return null;
    const sql = storedLiteral(literal, place);
    return sql === null ? null : [stored, sql];
  };
  const flipped = asStored(right, left);
  return (
    asStored(left, right) ?? (flipped === null ? [sqlOf(left, place), sqlOf(right, place)] : [flipped[1], flipped[0]])
  );
}

function storedLiteral(literal: LiteralExpr, place: Place): string | null {
  const { value } = literal;
  if (literal.type.kind === 'STRING' || literal.type.kind === 'INT64') return place.expr(literal);
  if (literal.type.kind !== 'TIMESTAMP' || typeof value !== 'bigint' || !isComparableTime(value)) return null;
  return timestampLiteral(value);
}

const sqlOf = (arg: CallArgument, place: Place): string =>
  arg.kind === 'part' ? notPushed('a date part') : place.expr(arg);

const compared =
  (operator: string): PushedFunction =>
  (call, place) => {
    checkComparable(call);
    const [left, right] = call.args;
    if (left === undefined || right === undefined) return notPushed(nameOf(call.fn));
    return `(${sides(left, right, place).join(` ${operator} `)})`;
  };

const candidatesMax = 1_000;

/** A list of constants is one set; NULL and NaN are not in it, and other values are compared one by one. */
const inList: PushedFunction = (call, place) => {
  checkComparable(call);
  const [value, ...candidates] = call.args;
  if (value === undefined) return notPushed(nameOf(call.fn));
  if (candidates.length > candidatesMax) notPushed(`an IN list of more than ${candidatesMax} values`);
  const areConstant = candidates.every((each) => each.kind === 'literal' && each.value !== null);
  if (areConstant && value.kind !== 'part' && value.type.kind !== 'FLOAT64') {
    const stored = place.stored(value);
    const literals = candidates.map((each) => (stored === null ? null : storedLiteral(each as LiteralExpr, place)));
    const isStored = stored !== null && literals.every((literal) => literal !== null);
    const list = isStored ? literals : candidates.map((each) => sqlOf(each, place));
    return `(${isStored ? stored : sqlOf(value, place)} IN (${list.join(', ')}))`;
  }
  return `(${candidates.map((each) => `${sides(value, each, place).join(' = ')}`).join(' OR ')})`;
};

/** A value among constants, such as those of a parameter, or a constant among the elements of an array of metadata. */
const inArray: PushedFunction = (call, place) => {
  const [sought, array] = call.args;
  if (array === undefined || array.kind === 'part' || array.type.kind !== 'ARRAY') return notPushed(nameOf(call.fn));
  // Of no elements, not even NULL is one.
  if (array.kind === 'literal' || (array.kind === 'array' && array.elements.length === 0)) return 'false';
  if (array.kind === 'array' && sought !== undefined)
    return inList({ ...call, fn: '$in', args: [sought, ...array.elements] }, place);
  const member = memberOfArray(array, place);
  if (member === null) return notPushed('IN UNNEST of anything but constants or an array of metadata');
  if (sought?.kind !== 'literal' || sought.value === null)
    return notPushed('IN UNNEST of metadata of a value that is not constant');
  const { element } = array.type;
  const sql = place.expr(sought);
  switch (`${sought.type.kind} ${element.kind}`) {
    case 'STRING STRING':
      return isElementOfJson(member, 'STRING', { sql, text: String(sought.value) });
    case 'BOOL BOOL':
      return isElementOfJson(member, 'BOOL', { sql, text: null });
    case 'INT64 FLOAT64':
      if (!isSafe(sought.value)) return notPushed('IN UNNEST of a whole number beyond 2^53');
      return isElementOfJson(member, 'FLOAT64', { sql: `toFloat64(${sql})`, text: null });
    case 'FLOAT64 FLOAT64':
      return isElementOfJson(member, 'FLOAT64', { sql: `toFloat64(${sql})`, text: null });
    default:
      return notPushed(`IN UNNEST of a ${sought.type.kind} among values read as ${element.kind}`);
  }
};

/** Whether a whole number is a FLOAT64 too. */
const isSafe = (value: LiteralExpr['value']): boolean =>
  typeof value === 'bigint' && value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);

const between: PushedFunction = (call, place) => {
  checkComparable(call);
  const [value, low, high] = call.args;
  if (value === undefined || low === undefined || high === undefined) return notPushed(nameOf(call.fn));
  return `(${sides(value, low, place).join(' >= ')} AND ${sides(value, high, place).join(' <= ')})`;
};

const joined =
  (operator: 'AND' | 'OR'): PushedFunction =>
  (call, place) =>
    `(${call.args.map((_, i) => argument(call, i, place)).join(` ${operator} `)})`;

/** A comparison in which NULL is a value, and NaN equals itself. */
const isDistinct: PushedFunction = (call, place) => {
  checkComparable(call);
  const [a, b] = [argument(call, 0, place), argument(call, 1, place)];
  const [first] = call.args;
  const isFloat = first !== undefined && first.kind !== 'part' && first.type.kind === 'FLOAT64';
  const different = isFloat ? `(${a} != ${b} AND NOT (isNaN(${a}) AND isNaN(${b})))` : `(${a} != ${b})`;
  return `if(isNull(${a}) OR isNull(${b}), isNull(${a}) != isNull(${b}), ifNull(${different}, false))`;
};

/** GREATEST and LEAST: NULL if a value is NULL, else NaN if one is NaN. */
const extreme =
  (operator: '>=' | '<='): PushedFunction =>
  (call, place) => {
    checkComparable(call);
    const isFloat = call.type.kind === 'FLOAT64';
    return call.args
      .map((_, i) => argument(call, i, place))
      .reduce((best, next) => {
        const nan = isFloat ? `isNaN(${best}) OR isNaN(${next}), nan, ` : '';
        return `multiIf(isNull(${best}) OR isNull(${next}), NULL, ${nan}${best} ${operator} ${next}, ${best}, ${next})`;
      });
  };

/** Comparisons, logic and conditionals, in three-valued logic. */
export const comparisonFunctions = {
  $eq: compared('='),
  $ne: compared('!='),
  $lt: compared('<'),
  $le: compared('<='),
  $gt: compared('>'),
  $ge: compared('>='),
  $between: between,
  $in: inList,
  $in_array: inArray,
  $and: joined('AND'),
  $or: joined('OR'),
  $not: (call, place) => `(NOT ${argument(call, 0, place)})`,
  $is_null: (call, place) => `isNull(${place.stored(call.args[0] as CallArgument) ?? argument(call, 0, place)})`,
  $is_true: (call, place) => `ifNull(${argument(call, 0, place)}, false)`,
  $is_false: (call, place) => `ifNull(NOT ${argument(call, 0, place)}, false)`,
  $is_distinct: isDistinct,
  if: (call, place) => `if(${[0, 1, 2].map((i) => argument(call, i, place)).join(', ')})`,
  ifnull: (call, place) => `coalesce(${call.args.map((_, i) => argument(call, i, place)).join(', ')})`,
  coalesce: (call, place) => `coalesce(${call.args.map((_, i) => argument(call, i, place)).join(', ')})`,
  nullif: (call, place) => {
    checkComparable(call);
    const [a, b] = [argument(call, 0, place), argument(call, 1, place)];
    return `if(ifNull(${a} = ${b}, false), NULL, ${a})`;
  },
  greatest: extreme('>='),
  least: extreme('<='),
} satisfies Partial<Record<FunctionName, PushedFunction>>;
