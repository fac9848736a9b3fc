import type { arrayFunctions } from '../../../googlesql/functions/arrays.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import {
  argument,
  bind,
  bindInLambda,
  constantText,
  failure,
  grownElementsMax,
  grownTextBytesMax,
  joinedLists,
} from './sqlFragments.ts';

const tooMany = (context: EmitContext): string =>
  failure(context, `The array would have more than ${grownElementsMax} elements.`);
const badStep = (context: EmitContext): string =>
  failure(context, 'The step of a generated array must not be zero or infinite.');

/** Checks first, last and step before anything is made. NULL if one is NULL. */
function generated(
  args: readonly string[],
  defaultStep: string,
  context: EmitContext,
  parts: (
    first: string,
    last: string,
    step: string,
  ) => { readonly span: string; readonly width: string; readonly list: string },
): string {
  const bounds = [argument(args, 0), argument(args, 1), args[2] ?? defaultStep] as const;
  if (context.isConstantSeries === true) return parts(...bounds).list;
  return bindInLambda(bounds, (first = '', last = '', step = '') => {
    const { span, width, list } = parts(first, last, step);
    const isNull = [first, last, step].map((value) => `${value} IS NULL`).join(' OR ');
    return `CASE WHEN ${isNull} THEN NULL WHEN ${width} = 0 THEN ${badStep(context)} WHEN ${span} / ${width} >= ${grownElementsMax} THEN ${tooMany(context)} ELSE ${list} END`;
  });
}

const generateArray: EmitFunction = (args, context) => {
  const isFloat = context.argTypes[0]?.kind === 'FLOAT64';
  return generated(args, isFloat ? 'CAST(1 AS DOUBLE)' : 'CAST(1 AS BIGINT)', context, (first, last, step) => {
    const span = `(CAST(${last} AS DOUBLE) - ${first})`;
    const count = `CAST(floor(greatest(${span} / ${step} + 1e-9, -1)) AS BIGINT) + 1`;
    const list = isFloat
      ? `list_transform(range(0, ${count}), lambda i: ${first} + i * ${step})`
      : `generate_series(${first}, ${last}, ${step})`;
    return { span, width: isFloat ? `CASE WHEN isfinite(${step}) THEN ${step} ELSE 0 END` : step, list };
  });
};

/** The length of an interval, with months of the shortest possible length. */
const intervalMicros = (step: string): string => {
  const from = (start: string): string => `(epoch_us(TIMESTAMP '${start}' + ${step}) - epoch_us(TIMESTAMP '${start}'))`;
  return `CASE WHEN TIMESTAMP '1970-02-01' + ${step} >= TIMESTAMP '1970-02-01' THEN ${from('1970-02-01')} ELSE ${from('1970-03-01')} END`;
};

const generateTimes: EmitFunction = (args, context) =>
  generated(args, '', context, (first, last, step) => ({
    span: `(epoch_us(${last}) - epoch_us(${first}))`,
    width: `(${intervalMicros(step)})`,
    list: `generate_series(${first}, ${last}, ${step})`,
  }));

const generateDates: EmitFunction = (args, context) =>
  generated(args, 'to_days(1)', context, (first, last, step) => ({
    span: `(epoch_us(CAST(${last} AS TIMESTAMP)) - epoch_us(CAST(${first} AS TIMESTAMP)))`,
    width: `(${intervalMicros(step)})`,
    list: `CAST(generate_series(CAST(${first} AS TIMESTAMP), CAST(${last} AS TIMESTAMP), ${step}) AS DATE[])`,
  }));

/**
 * The engine joins only with a constant delimiter; another one is put before each element and removed from the first.
 * `charsOfByte`: number of characters per counted byte.
 */
function arrayToString(args: readonly string[], context: EmitContext, charsOfByte: 1 | 2): string {
  const [array = '', delimiter = '', nullText] = args;
  const constant = constantText(context, 1);
  return bindInLambda([array, delimiter, ...(nullText === undefined ? [] : [nullText])], (list, separator, text) => {
    const elements = text === undefined ? list : `list_transform(${list}, lambda e: coalesce(e, ${text}))`;
    const prefixed = `array_to_string(list_transform(${elements}, lambda e: ${separator} || e), '')`;
    const joined =
      constant === undefined
        ? `substr(${prefixed}, length(${separator}) + 1)`
        : `array_to_string(${elements}, ${separator})`;
    const isNull = [list, separator, ...(text === undefined ? [] : [text])].map((x) => `${x} IS NULL`).join(' OR ');
    const size = `coalesce(list_sum(list_transform(${elements}, lambda e: strlen(e))), 0) + len(${list}) * strlen(${separator})`;
    const tooLong = failure(context, `The result of ARRAY_TO_STRING would have more than ${grownTextBytesMax} bytes.`);
    return `CASE WHEN ${isNull} THEN NULL WHEN ${size} > ${grownTextBytesMax * charsOfByte} THEN ${tooLong} ELSE coalesce(${joined}, '') END`;
  });
}

/** ARRAY_FIRST and ARRAY_LAST; the engine counts from 1, and from the end with -1. */
const outermost =
  (place: 1 | -1, label: string): EmitFunction =>
  (args, context) =>
    bind([argument(args, 0)], (array = '') => {
      const empty = failure(context, `The array of ${label} is empty. [SAFE_OFFSET(…)] returns NULL instead.`);
      return `CASE WHEN len(${array}) = 0 THEN ${empty} ELSE ${array}[${place}] END`;
    });

/** Limits positions to the array's range before computing with them, because they may be any INT64. */
const slice: EmitFunction = (args) =>
  bind(args, (array = '', first = '', last = '') => {
    const size = `len(${array})`;
    const from = `CASE WHEN ${first} < 0 THEN greatest(${first}, -${size}) + ${size} ELSE least(${first}, ${size}) END + 1`;
    const to = `CASE WHEN ${last} < 0 THEN greatest(${last}, -${size} - 1) + ${size} ELSE least(${last}, ${size}) END + 1`;
    const isNull = [array, first, last].map((value) => `${value} IS NULL`).join(' OR ');
    return `CASE WHEN ${isNull} THEN NULL ELSE ${array}[${from}:${to}] END`;
  });

/** NULL and NaN have no position among boundaries. */
const rangeBucket: EmitFunction = (args, context) => {
  const isFloat = context.argTypes[0]?.kind === 'FLOAT64';
  return bindInLambda(args, (point = '', boundaries = '') => {
    const nan = isFloat ? ` OR isnan(${point})` : '';
    const isNull = `${point} IS NULL OR ${boundaries} IS NULL${nan}`;
    const noBoundaries = `len(list_filter(${boundaries}, lambda b: b IS NULL${isFloat ? ' OR isnan(b)' : ''})) > 0`;
    const noBoundary = failure(context, 'The boundaries of RANGE_BUCKET must not be NULL or NaN.');
    const isUnsorted = `list_sort(${boundaries}) <> ${boundaries}`;
    const unsorted = failure(context, 'The boundaries of RANGE_BUCKET must be in ascending order.');
    const reached = `len(list_filter(${boundaries}, lambda b: b <= ${point}))`;
    return `CASE WHEN ${isNull} THEN NULL WHEN ${noBoundaries} THEN ${noBoundary} WHEN ${isUnsorted} THEN ${unsorted} ELSE ${reached} END`;
  });
};

export const arrayEmitters: ScalarEmitters<typeof arrayFunctions> = {
  array_length: (args) => `len(${argument(args, 0)})`,
  array_concat: (args, context) => joinedLists(args, context, 'ARRAY_CONCAT'),
  array_reverse: (args) => `list_reverse(${argument(args, 0)})`,
  array_first: outermost(1, 'ARRAY_FIRST'),
  array_last: outermost(-1, 'ARRAY_LAST'),
  array_slice: slice,
  range_bucket: rangeBucket,
  array_to_string: (args, context) => {
    if (context.returns.kind !== 'BYTES') return arrayToString(args, context, 1);
    const [array, ...texts] = args.map((arg, i) =>
      i === 0 ? `list_transform(${arg}, lambda hb: hex(hb))` : `hex(${arg})`,
    );
    return `unhex(${arrayToString([array ?? '', ...texts], { ...context, constants: [] }, 2)})`;
  },
  generate_array: generateArray,
  generate_date_array: generateDates,
  generate_timestamp_array: generateTimes,
};
