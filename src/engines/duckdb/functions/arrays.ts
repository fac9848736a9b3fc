import type { arrayFunctions } from '../../../googlesql/functions/arrays.ts';
import type { EmitContext, EmitFunction, ScalarEmitters } from './emitContext.ts';
import {
  argument,
  bindInLambda,
  constantText,
  failure,
  grownElementsMax,
  grownTextBytesMax,
  joinedLists,
} from './sqlText.ts';

const tooMany = (context: EmitContext): string =>
  failure(context, `The array would have more than ${grownElementsMax} elements.`);
const badStep = (context: EmitContext): string =>
  failure(context, 'The step of a generated array must not be zero, nor infinite.');

/** First, last and step are looked at before anything is made. NULL in one of them gives NULL. */
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

/** The length of an interval; months count as the shortest that they can be. */
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

/** The engine joins with a constant delimiter only; another one goes before each element, and off the first. */
const arrayToString: EmitFunction = (args, context) => {
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
    return `CASE WHEN ${isNull} THEN NULL WHEN ${size} > ${grownTextBytesMax} THEN ${tooLong} ELSE coalesce(${joined}, '') END`;
  });
};

export const arrayEmitters: ScalarEmitters<typeof arrayFunctions> = {
  array_length: (args) => `len(${argument(args, 0)})`,
  array_concat: (args, context) => joinedLists(args, context, 'ARRAY_CONCAT'),
  array_reverse: (args) => `list_reverse(${argument(args, 0)})`,
  array_to_string: arrayToString,
  generate_array: generateArray,
  generate_date_array: generateDates,
  generate_timestamp_array: generateTimes,
};
