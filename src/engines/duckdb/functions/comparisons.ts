import type { SqlType } from '../../../googlesql/types.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { bind } from './sqlFragments.ts';

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=';

/**
 * A comparison; two JSON values compare as numbers if both are numbers, otherwise as text (googlesql.md, section 2).
 */
export const comparison =
  (operator: Comparison): EmitFunction =>
  (args, context) => {
    const bothJson = context.argTypes[0]?.kind === 'JSON' && context.argTypes[1]?.kind === 'JSON';
    if (context.argTypes[0]?.kind === 'FLOAT64') return compareFloats(operator, args, context);
    if (!bothJson) return `(${args.join(` ${operator} `)})`;
    const compared = bind(args, (x = '', y = '') => compareJson(operator, x, y));
    return operator === '=' && args.every(isColumn)
      ? `(${args.map(equalityKey).join(' = ')} AND ${compared})`
      : compared;
  };

/**
 * Whether two values of the type of the first argument are equal, in three-valued logic. STRUCTs are compared field by field:
 * to the engine a NULL in one is a value like others.
 */
export function equality(x: string, y: string, context: EmitContext): string {
  return equalAs(context.argTypes[0] ?? { kind: 'NULL' }, x, y, context);
}

function equalAs(type: SqlType, x: string, y: string, context: EmitContext): string {
  if (type.kind !== 'STRUCT') return comparison('=')([x, y], { ...context, argTypes: [type, type] });
  const field = (struct: string, index: number): string => `struct_extract(${struct}, 'f${index}')`;
  // Facts about the whole values do not hold for their fields.
  const inside = { ...context, constants: [], finite: [] };
  const fields = type.fields.map((each, i) => equalAs(each.type, field(x, i), field(y, i), inside));
  return `(${fields.map((each) => `(${each})`).join(' AND ')})`;
}

const isColumn = (sql: string): boolean => /^\w+\.\w+$/.test(sql);

/**
 * A text that is the same for all equal JSON values, and for some unequal ones. No key decides equality alone (text
 * equals a number by spelling, numbers equal each other by value), but with one the engine can use a hash join.
 */
function equalityKey(json: string): string {
  return `coalesce(CAST(try_cast(${jsonScalar(json)} AS DOUBLE) + 0.0 AS VARCHAR), ${jsonScalar(json)})`;
}

/**
 * NaN equals nothing, not even itself, and is neither less nor greater; the engine treats it as the greatest number,
 * equal to itself. With a constant number, only `x > c` and `x >= c` differ.
 */
function compareFloats(operator: Comparison, args: readonly string[], context: EmitContext): string {
  const [x = '', y = ''] = args;
  const isNumber = context.constants.map((value) => typeof value === 'number' && !Number.isNaN(value));
  const plain = (a: string, b: string): string => `(${a} ${operator} ${b})`;
  const [isFirst, isSecond] = [0, 1].map((i) => isNumber[i] === true || context.finite?.[i] === true);
  if (isFirst && isSecond) return plain(x, y);
  if (isSecond && !operator.startsWith('>')) return plain(x, y);
  if (isFirst && (operator === '=' || operator === '<>' || operator.startsWith('>'))) return plain(x, y);
  return bind([x, y], (a = '', b = '') => {
    if (isNumber[1]) return `${plain(a, b)} AND NOT isnan(${a})`;
    if (isNumber[0]) return `${plain(a, b)} AND NOT isnan(${b})`;
    const isNan = `(isnan(${a}) AND ${b} IS NOT NULL) OR (isnan(${b}) AND ${a} IS NOT NULL)`;
    return `CASE WHEN ${isNan} THEN ${operator === '<>' ? 'TRUE' : 'FALSE'} ELSE ${plain(a, b)} END`;
  });
}

function compareJson(operator: Comparison, x: string, y: string): string {
  const integers = `${isInteger(x)} AND ${isInteger(y)}`;
  const numbers = `${isNumber(x)} AND ${isNumber(y)}`;
  return `CASE WHEN ${integers} THEN CAST(${jsonScalar(x)} AS HUGEINT) ${operator} CAST(${jsonScalar(y)} AS HUGEINT) WHEN ${numbers} THEN CAST(${jsonScalar(x)} AS DOUBLE) ${operator} CAST(${jsonScalar(y)} AS DOUBLE) ELSE ${jsonScalar(x)} ${operator} ${jsonScalar(y)} END`;
}

/** The text of a JSON value: a string without its quotes, anything else as written. */
export const jsonScalar = (json: string): string => `json_extract_string(${json}, '$')`;

const isNumber = (json: string): string => `regexp_matches(CAST(${json} AS VARCHAR), '^[-0-9]')`;
const isInteger = (json: string): string => `regexp_full_match(CAST(${json} AS VARCHAR), '-?[0-9]{1,38}')`;

/** Inequality of JSON values that treats NULL as a value. */
export const distinctJson = (args: readonly string[]): string =>
  bind(
    args,
    (x = '', y = '') =>
      `CASE WHEN ${x} IS NULL OR ${y} IS NULL THEN (${x} IS NULL) <> (${y} IS NULL) ELSE ${compareJson('<>', x, y)} END`,
  );

/** `x IN (a, b)`. */
export const inList: EmitFunction = (args, context) => {
  const [x = '', ...candidates] = args;
  const type = context.argTypes[0]?.kind;
  const mayBeNan = (index: number): boolean =>
    context.finite?.[index] !== true &&
    (context.constants[index] === undefined || Number.isNaN(context.constants[index]));
  if (type === 'FLOAT64' && candidates.some((_, i) => mayBeNan(i + 1))) {
    return bind(args, (value = '', ...others) =>
      others
        .map((other, i) => {
          const finite = [!mayBeNan(0), !mayBeNan(i + 1)];
          return `(${compareFloats('=', [value, other], { ...context, constants: [], finite })})`;
        })
        .join(' OR '),
    );
  }
  if (type !== 'JSON') return `(${x} IN (${candidates.join(', ')}))`;
  return bind(args, (value = '', ...others) =>
    others.map((other) => `(${compareJson('=', value, other)})`).join(' OR '),
  );
};

/** A key with which the engine orders JSON values like GoogleSQL: numbers before text. NULL stays NULL. */
export function jsonSortKey(json: string): string {
  return bind([json], (value = '') => {
    const number = `CASE WHEN ${isNumber(value)} THEN CAST(${jsonScalar(value)} AS DOUBLE) END`;
    const exact = `CASE WHEN ${isInteger(value)} THEN CAST(${jsonScalar(value)} AS HUGEINT) END`;
    const text = `CASE WHEN ${isNumber(value)} THEN '' ELSE ${jsonScalar(value)} END`;
    return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(isText := NOT ${isNumber(value)}, number := coalesce(${number}, 0), exact := coalesce(${exact}, 0), text := ${text}) END`;
  });
}
