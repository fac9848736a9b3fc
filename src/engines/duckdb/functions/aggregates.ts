import type { aggregateFunctions } from '../../../googlesql/functions/aggregates.ts';
import { duckType } from '../emit/literal.ts';
import { jsonSortKey } from './comparisons.ts';
import type { AggregateEmitters, EmitAggregate, EmitContext, EmitModifiers, EmittedCall } from './emitContext.ts';
import { intervalTotal } from './intervalTotals.ts';
import { nanFirst } from './nanFirst.ts';
import { argument, bind, constantNumber, failedAggregate, failure, grownTextBytesMax } from './sqlFragments.ts';

const noModifiers: EmitModifiers = { distinct: false, nulls: null, orderBy: [], limit: null };

interface AggregateText {
  readonly args: readonly string[];
  /** Condition that rows must meet. */
  readonly filter?: string | undefined;
}

/** A text or a number, with or without parentheses. */
const literalKey = /^\(*(?:'(?:[^']|'')*'|-?\d[\d.e+-]*)\)*$/;

/** One aggregate of the engine with the modifiers in its parentheses, without OVER. */
function engineAggregate(name: string, text: AggregateText, context: EmitContext): string {
  const { distinct, orderBy } = context.modifiers ?? noModifiers;
  // With DISTINCT, only the values themselves can give the order, and the engine needs them there unchanged.
  const ordered = distinct ? orderBy.slice(0, 1).map((key) => ({ ...key, sql: text.args[0] ?? key.sql })) : orderBy;
  // The engine rejects a literal as a key, because it orders nothing.
  const keys = ordered
    .filter((key) => !literalKey.test(key.sql))
    .map((key) => `${key.sql} ${key.descending ? 'DESC' : 'ASC'} NULLS ${key.nulls === 'first' ? 'FIRST' : 'LAST'}`);
  const order = keys.length === 0 ? '' : ` ORDER BY ${keys.join(', ')}`;
  const filter = text.filter === undefined ? '' : ` FILTER (WHERE ${text.filter})`;
  return `${name}(${distinct ? 'DISTINCT ' : ''}${text.args.join(', ')}${order})${filter}`;
}

const plain =
  (name: string): EmitAggregate =>
  (args, context) =>
    engineAggregate(name, { args }, context);

/**
 * A NULL in either argument skips the row; fewer than `pairsMin` pairs return NULL. For infinite values and NaN,
 * GoogleSQL returns NaN, but the engine fails. If a variance is zero, the engine returns NaN even for a single pair.
 */
const ofPairs =
  (name: string, pairsMin: number): EmitAggregate =>
  (args, context) => {
    const [x = '', y = ''] = args;
    const areBoth = (test: string): string => `${x} IS NOT NULL AND ${y} IS NOT NULL AND ${test}`;
    const isPair = `isfinite(${x}) AND isfinite(${y})`;
    const call = engineAggregate(name, { args, filter: isPair }, context);
    return {
      call,
      wrap: (result) => {
        const over = result.slice(call.length);
        const hasOther = `bool_or(${areBoth(`NOT (${isPair})`)})${over}`;
        const pairs = `count(CASE WHEN ${areBoth('TRUE')} THEN 1 END)${over}`;
        return `CASE WHEN ${pairs} < ${pairsMin} THEN NULL WHEN ${hasOther} THEN CAST('nan' AS DOUBLE) ELSE CAST(${result} AS DOUBLE) END`;
      },
    };
  };

/** Whether the values are known to be neither NaN nor infinite. */
const areFinite = ({ finite }: EmitContext): boolean => finite?.[0] === true;

/** The engine treats NaN as the greatest number, but GoogleSQL's MIN and MAX both return NaN if it occurs. */
function leastNumber(value: string, context: EmitContext): EmittedCall {
  const call = engineAggregate('min', { args: [value] }, context);
  return {
    call,
    wrap: (least) =>
      `CASE WHEN bool_or(isnan(${value}))${least.slice(call.length)} THEN CAST('nan' AS DOUBLE) ELSE ${least} END`,
  };
}

/** JSON values have their own order, with numbers before text. */
const extreme =
  (name: 'min' | 'max'): EmitAggregate =>
  (args, context) => {
    const value = argument(args, 0);
    if (context.argTypes[0]?.kind === 'FLOAT64' && name === 'min' && !areFinite(context))
      return leastNumber(value, context);
    if (context.argTypes[0]?.kind !== 'JSON') return plain(name)(args, context);
    return `arg_${name}(${value}, ${jsonSortKey(value)})`;
  };

/** The engine's arg_max skips rows whose value is NULL; GoogleSQL skips only those whose measure is. */
const extremeBy =
  (name: 'min' | 'max'): EmitAggregate =>
  (args, context) => {
    const value = argument(args, 0);
    const by = argument(args, 1);
    const key = context.argTypes[1]?.kind === 'JSON' ? jsonSortKey(by) : by;
    return `arg_${name}_null(${value}, ${key}) FILTER (WHERE ${by} IS NOT NULL)`;
  };

/** SUM and AVG of FLOAT64: infinite values stay infinite, but overflow is an error. OVER applies to both calls. */
const floatTotal =
  (name: 'sum' | 'avg'): EmitAggregate =>
  (args, context) => {
    const call = engineAggregate(name, { args }, context);
    // No number of INT64 rows exceeds FLOAT64.
    if (context.wholeNumbers?.[0] === true) return call;
    const tooLarge = failure(context, `${name.toUpperCase()} adds up to more than FLOAT64 holds.`);
    return {
      call,
      wrap: (total) => {
        if (areFinite(context)) return `CASE WHEN NOT isfinite(${total}) THEN ${tooLarge} ELSE ${total} END`;
        const hasInfinite = `coalesce(bool_or(NOT isfinite(${argument(args, 0)}))${total.slice(call.length)}, FALSE)`;
        return `CASE WHEN NOT isfinite(${total}) AND NOT ${hasInfinite} THEN ${tooLarge} ELSE ${total} END`;
      },
    };
  };

/** For infinite values and NaN, GoogleSQL returns NaN, but the engine fails. */
const spread =
  (name: 'stddev_samp' | 'stddev_pop' | 'var_samp' | 'var_pop'): EmitAggregate =>
  (args, context) => {
    const value = argument(args, 0);
    if (areFinite(context)) return engineAggregate(name, { args }, context);
    const call = engineAggregate(name, { args, filter: `isfinite(${value})` }, context);
    const countMin = name.endsWith('samp') ? 2 : 1;
    return {
      call,
      wrap: (result) => {
        const over = result.slice(call.length);
        const values = `count(${context.modifiers?.distinct === true ? 'DISTINCT ' : ''}${value})${over}`;
        return `CASE WHEN bool_or(NOT isfinite(${value}))${over} THEN CASE WHEN ${values} >= ${countMin} THEN CAST('nan' AS DOUBLE) END ELSE ${result} END`;
      },
    };
  };

const sum: EmitAggregate = (args, context) => {
  if (context.returns.kind === 'INTERVAL') return intervalTotal('sum', argument(args, 0), context);
  if (context.returns.kind !== 'INT64') return floatTotal('sum')(args, context);
  const call = engineAggregate('sum', { args }, context);
  const sentence = 'SUM is beyond the range of INT64.';
  return {
    call,
    wrap: (total) =>
      bind(
        [total],
        (value) =>
          `CASE WHEN ${value} IS NULL THEN NULL ELSE coalesce(TRY_CAST(${value} AS BIGINT), ${failure(context, sentence)}) END`,
      ),
  };
};

const arrayAggregate: EmitAggregate = (args, context) => {
  const value = argument(args, 0);
  const { distinct, nulls, limit, orderBy } = context.modifiers ?? noModifiers;
  const filter = nulls === 'ignore' ? `${value} IS NOT NULL` : undefined;
  const [key] = orderBy;
  const keyOf = distinctKeys[context.argTypes[0]?.kind ?? 'NULL'];
  if (distinct && key !== undefined && keyOf !== undefined) {
    const call = `list(DISTINCT ${value})${filter === undefined ? '' : ` FILTER (WHERE ${filter})`}`;
    return { call, wrap: (list) => cut(sortedBy(keyOf('e'), list, key), limit) };
  }
  const call = engineAggregate('list', { args, filter }, context);
  return limit === null ? call : { call, wrap: (list) => cut(list, limit) };
};

/**
 * The first elements. An aggregate that reads none returns NULL; the engine's call stays, because it makes the query an
 * aggregation.
 */
const cut = (list: string, limit: number | null): string => {
  if (limit === 0) return `CASE WHEN FALSE THEN ${list} END`;
  return limit === null ? list : `(${list})[1:${limit}]`;
};

/** Sort keys that a DISTINCT aggregate does not allow: NaN comes before every number. */
const distinctKeys: Readonly<Record<string, (element: string) => string>> = {
  JSON: jsonSortKey,
  FLOAT64: (element) => `struct_pack(isNumber := NOT isnan(${element}), number := ${element})`,
};

/** The list sorted by the key of its elements `e`. */
function sortedBy(
  key: string,
  list: string,
  order: { readonly descending: boolean; readonly nulls: 'first' | 'last' },
): string {
  const nullRank = (order.nulls === 'first') === order.descending ? 2 : 0;
  const keyed = `list_transform(${list}, lambda e: struct_pack(r := CASE WHEN e IS NULL THEN ${nullRank} ELSE 1 END, k := ${key}, v := e))`;
  return `list_transform(list_sort(${keyed}, '${order.descending ? 'DESC' : 'ASC'}'), lambda e: e.v)`;
}

/** Joins byte strings as hexadecimal digits, because the engine joins only texts. */
const joinedAggregate: EmitAggregate = (args, context) => {
  if (context.constants[1] === null) return failedAggregate(context, 'The delimiter of STRING_AGG must not be NULL.');
  if (context.argTypes[0]?.kind !== 'BYTES') return stringAggregate(args, context, 1);
  const { modifiers = noModifiers } = context;
  const delimiter = args[1] === undefined ? "'2C'" : `hex(${args[1]})`;
  const asText: EmitContext = { ...context, returns: { kind: 'STRING' }, modifiers };
  const joined = stringAggregate([`hex(${argument(args, 0)})`, delimiter], asText, 2);
  return { call: joined.call, wrap: (text) => `unhex(${joined.wrap(text)})` };
};

/** `charsOfByte`: number of characters per counted byte. */
function stringAggregate(
  args: readonly string[],
  context: EmitContext,
  charsOfByte: 1 | 2,
): Exclude<EmittedCall, string> {
  const value = argument(args, 0);
  const delimiter = args[1] ?? "','";
  const { limit } = context.modifiers ?? noModifiers;
  const tooLong = failure(context, `The result of STRING_AGG has more than ${grownTextBytesMax} bytes.`);
  const bounded = (text: string): string =>
    bind(
      [text],
      (joined) => `CASE WHEN strlen(${joined}) > ${grownTextBytesMax * charsOfByte} THEN ${tooLong} ELSE ${joined} END`,
    );
  if (limit === null)
    return { call: engineAggregate('string_agg', { args: [value, delimiter] }, context), wrap: bounded };
  const call = engineAggregate('list', { args: [value], filter: `${value} IS NOT NULL` }, context);
  return { call, wrap: (list) => bounded(`array_to_string(${cut(list, limit)}, ${delimiter})`) };
}

/** Byte strings as bit strings, of which the engine has no empty one. All must have the same length. */
const bitwise =
  (name: 'bit_and' | 'bit_or' | 'bit_xor'): EmitAggregate =>
  (args, context) => {
    if (context.argTypes[0]?.kind !== 'BYTES') return plain(name)(args, context);
    const value = argument(args, 0);
    const bits = `CAST(CASE WHEN octet_length(${value}) > 0 THEN ${value} END AS BIT)`;
    const call = engineAggregate(name, { args: [bits] }, context);
    const wrong = failure(context, `The byte strings of ${name.toUpperCase()} must have the same length.`);
    return {
      call,
      wrap: (result) => {
        const length = (extreme: 'min' | 'max'): string =>
          `${extreme}(octet_length(${value}))${result.slice(call.length)}`;
        return `CASE WHEN ${length('min')} <> ${length('max')} THEN ${wrong} WHEN ${length('max')} = 0 THEN ''::BLOB ELSE CAST(${result} AS BLOB) END`;
      },
    };
  };

const quantileCountMax = 10_000;

/** Position, from 1, of element `index` of `count` among `length` sorted values: ⌈index·length/count⌉, at least 1. */
const quantilePlace = (index: string, length: string, count: number): string =>
  `greatest(1, (${index} * ${length} + ${count - 1}) // ${count})`;

function quantileCount(context: EmitContext): number | undefined {
  const count = constantNumber(context, 1);
  return count !== undefined && count >= 1 && count <= quantileCountMax && Number.isInteger(count) ? count : undefined;
}

const badQuantileCount = `APPROX_QUANTILES needs a whole number from 1 to ${quantileCountMax} as its count.`;

/** The values in ascending order, NULL first and NaN before every number. */
function sortedValues(list: string, context: EmitContext): string {
  const keyOf = context.argTypes[0]?.kind === 'FLOAT64' && !areFinite(context) ? distinctKeys.FLOAT64 : undefined;
  if (keyOf === undefined) return `list_sort(${list}, 'ASC', 'NULLS FIRST')`;
  return sortedBy(keyOf('e'), list, { descending: false, nulls: 'first' });
}

/** Picks all elements from the sorted values; the engine's own list of quantiles is many times slower. */
const quantiles: EmitAggregate = (args, context) => {
  const value = argument(args, 0);
  const count = quantileCount(context);
  if (count === undefined) return failedAggregate(context, badQuantileCount);
  const distinct = context.modifiers?.distinct === true ? 'DISTINCT ' : '';
  // With RESPECT NULLS, NULL is a value that comes before all others.
  const filter = context.modifiers?.nulls === 'respect' ? '' : ` FILTER (WHERE ${value} IS NOT NULL)`;
  const picked = `list_transform(range(0, ${count + 1}), lambda i: lm.v[${quantilePlace('i', 'len(lm.v)', count)}])`;
  return {
    call: `list(${distinct}${value})${filter}`,
    wrap: (list) =>
      `list_transform([struct_pack(v := ${sortedValues(list, context)})], lambda lm: CASE WHEN lm.v IS NOT NULL THEN ${picked} END)[1]`,
  };
};

/**
 * One element alone. Written as a decimal, its share is exact in the engine, which counts down from
 * the end in whole numbers; a share without such a form is picked from the sorted values.
 */
const quantileAt: EmitAggregate = (args, context) => {
  const value = argument(args, 0);
  const count = quantileCount(context);
  const index = constantNumber(context, 2);
  if (count === undefined) return failedAggregate(context, badQuantileCount);
  if (index === undefined || index < 0 || index > count) return `any_value(${value}) FILTER (WHERE FALSE)`;
  const share = decimalShare(index, count);
  if (share !== undefined) {
    const quantile = (values: string): string => `quantile_disc(${values}, ${share})`;
    if (context.argTypes[0]?.kind !== 'FLOAT64' || areFinite(context)) return quantile(value);
    return nanFirst(value, quantile, (values) => quantilePlace(String(index), values, count));
  }
  return {
    call: `list(${value}) FILTER (WHERE ${value} IS NOT NULL)`,
    wrap: (list) =>
      bind(
        [sortedValues(list, context)],
        (values) => `${values}[${quantilePlace(String(index), `len(${values})`, count)}]`,
      ),
  };
};

/** i/n as a decimal of at most six digits; undefined if there is none. */
function decimalShare(i: number, n: number): string | undefined {
  const scaled = (BigInt(i) * 1_000_000n) / BigInt(n);
  if (scaled * BigInt(n) !== BigInt(i) * 1_000_000n) return undefined;
  const digits = scaled.toString().padStart(7, '0');
  return `CAST('${digits.slice(0, -6)}.${digits.slice(-6)}' AS DECIMAL(7, 6))`;
}

/** Counts per value; NULL counts as a value. Ties are in the order of the values. */
const topCount: EmitAggregate = (args, context) => {
  const value = argument(args, 0);
  const number = constantNumber(context, 1);
  if (number === undefined || number < 1 || number > quantileCountMax) {
    return failedAggregate(context, `APPROX_TOP_COUNT needs a number from 1 to ${quantileCountMax}.`);
  }
  const valueType = duckType(context.argTypes[0] ?? { kind: 'STRING' });
  const entries = `list_transform(map_entries(histogram(${value})), lambda e: struct_pack(n := -CAST(e.value AS BIGINT), v := CAST(e.key AS ${valueType})))`;
  const nulls = `count(*) FILTER (WHERE ${value} IS NULL)`;
  const withNulls = `list_concat(${entries}, CASE WHEN ${nulls} > 0 THEN [struct_pack(n := -CAST(${nulls} AS BIGINT), v := CAST(NULL AS ${valueType}))] END)`;
  const counted = `list_transform(list_sort(${withNulls})[1:${number}], lambda e: struct_pack(f0 := e.v, f1 := -e.n))`;
  return `CASE WHEN count(*) > 0 THEN ${counted} END`;
};

export const aggregateEmitters: AggregateEmitters<typeof aggregateFunctions> = {
  count: (args, context) => (args.length === 0 ? 'count(*)' : engineAggregate('count', { args }, context)),
  countif: (args, context) => {
    const condition = argument(args, 0);
    if (context.modifiers?.distinct === true) return `count(DISTINCT CASE WHEN ${condition} THEN TRUE END)`;
    return `count(*) FILTER (WHERE ${condition})`;
  },
  sum,
  avg: (args, context) =>
    context.returns.kind === 'INTERVAL'
      ? intervalTotal('avg', argument(args, 0), context)
      : floatTotal('avg')(args, context),
  min: extreme('min'),
  max: extreme('max'),
  any_value: plain('any_value'),
  array_agg: arrayAggregate,
  array_concat_agg: (args, context) => {
    const { limit } = context.modifiers ?? noModifiers;
    const lists = engineAggregate('list', { args, filter: `${argument(args, 0)} IS NOT NULL` }, context);
    return `flatten(${cut(lists, limit)})`;
  },
  string_agg: joinedAggregate,
  approx_quantiles: quantiles,
  $approx_quantile_at: quantileAt,
  approx_count_distinct: (args) => `count(DISTINCT ${argument(args, 0)})`,
  approx_top_count: topCount,
  grouping: ([key = '']) => `CAST(GROUPING(${key}) AS BIGINT)`,
  logical_and: plain('bool_and'),
  logical_or: plain('bool_or'),
  bit_and: bitwise('bit_and'),
  bit_or: bitwise('bit_or'),
  bit_xor: bitwise('bit_xor'),
  max_by: extremeBy('max'),
  min_by: extremeBy('min'),
  stddev: spread('stddev_samp'),
  stddev_samp: spread('stddev_samp'),
  stddev_pop: spread('stddev_pop'),
  variance: spread('var_samp'),
  var_samp: spread('var_samp'),
  var_pop: spread('var_pop'),
  corr: ofPairs('corr', 2),
  covar_pop: ofPairs('covar_pop', 1),
  covar_samp: ofPairs('covar_samp', 2),
};
