import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext, EmitFunction } from './emitContext.ts';
import { jsonText } from './jsonText.ts';
import {
  argument,
  bind,
  bindInLambda,
  failedCall,
  failure,
  grownTextBytesMax,
  joinedText,
  notLonger,
} from './sqlFragments.ts';

/**
 * Builds a JSON object. Names contain nothing from events (`plan/memberNames.ts`), because detectors of personal data
 * check values and leave names of members unchanged.
 */
export const jsonObject: EmitFunction = (args, context) => {
  if (context.argTypes[0]?.kind === 'ARRAY') return jsonObjectOfArrays(args, context);
  if (args.some((_, i) => i % 2 === 0 && context.constants[i] === undefined)) {
    const texts = args.flatMap((_, i) => (i % 2 === 0 ? [] : [valueText(args, i, context)]));
    return computedObject(`[${args.filter((_, i) => i % 2 === 0).join(', ')}]`, `[${texts.join(', ')}]`, context);
  }
  const values: { before: string; index: number }[] = [];
  const known = new Set<string>();
  for (let at = 0; at < args.length; at += 2) {
    const name = context.constants[at];
    if (typeof name !== 'string') return failedCall(context, 'A name in JSON_OBJECT must not be NULL.');
    if (!known.has(name)) values.push({ before: `${JSON.stringify(name)}:`, index: at + 1 });
    known.add(name);
  }
  return jsonOf('{}', values, 'JSON_OBJECT', [args, context]);
};

/** The same, with all names in one array and all values in another of the same length. */
const jsonObjectOfArrays: EmitFunction = (args, context) => {
  const type = context.argTypes[1];
  const element: SqlType = type?.kind === 'ARRAY' ? type.element : { kind: 'NULL' };
  const names = context.constantTexts?.[0];
  if (names === undefined || names === null) {
    const texts = bindInLambda(
      [argument(args, 1)],
      (values = '') => `list_transform(${values}, lambda m: ${jsonText('m', element, 'value')})`,
    );
    return computedObject(argument(args, 0), texts, context);
  }
  const fail = (sentence: string): string => failure(context, sentence);
  return bindInLambda([argument(args, 1)], (values = '') => {
    const firstAt = new Map([...names.entries()].reverse().map(([i, name]) => [name, i]));
    const members = names.flatMap((name, i) =>
      name === null || firstAt.get(name) !== i
        ? []
        : [{ before: `${JSON.stringify(name)}:`, written: jsonText(`${values}[${i + 1}]`, element, 'value', 1) }],
    );
    const pieces = members.map(
      ({ before, written }, i) => `${quoteText(`${i === 0 ? '' : ','}${before}`)} || ${written}`,
    );
    const text = ["'{'", ...pieces, "'}'"].join(' || ');
    const made = names.includes(null)
      ? fail('A name in JSON_OBJECT must not be NULL.')
      : notLonger(text, context, 'JSON_OBJECT');
    const isOther = `WHEN len(${values}) <> ${names.length} THEN ${fail('JSON_OBJECT needs as many values as names.')}`;
    return `CAST(CASE WHEN ${values} IS NULL THEN ${fail('The values of JSON_OBJECT must not be NULL.')} ${isOther} ELSE ${made} END AS JSON)`;
  });
};

/**
 * If a name occurs twice, each name is compared with those before it, in a time that grows with the square of their
 * number.
 */
const repeatedNamesMax = 1000;

/** An object from a list of names and one of values as JSON text, which differ by row. */
function computedObject(nameList: string, textList: string, context: EmitContext): string {
  const fail = (sentence: string): string => failure(context, sentence);
  return bindInLambda([nameList, textList], (names = '', texts = '') => {
    const member = `CAST(to_json(${names}[i]) AS VARCHAR) || ':' || ${texts}[i]`;
    const membersOf = (text: string): string =>
      `array_to_string(list_transform(range(1, len(${names}) + 1), lambda i: ${text}), ',')`;
    const first = membersOf(`CASE WHEN list_position(${names}, ${names}[i]) = i THEN ${member} END`);
    const size = [names, texts].map((list) => `list_sum(list_transform(${list}, lambda s: strlen(s)))`).join(' + ');
    const cases = [
      `WHEN ${names} IS NULL THEN ${fail('The names of JSON_OBJECT must not be NULL.')}`,
      `WHEN ${texts} IS NULL THEN ${fail('The values of JSON_OBJECT must not be NULL.')}`,
      `WHEN len(${texts}) <> len(${names}) THEN ${fail('JSON_OBJECT needs as many values as names.')}`,
      `WHEN list_count(${names}) <> len(${names}) THEN ${fail('A name in JSON_OBJECT must not be NULL.')}`,
      `WHEN len(${names}) = 0 THEN '{}'`,
      `WHEN ${size} > ${grownTextBytesMax} THEN ${fail(`The result of JSON_OBJECT would have more than ${grownTextBytesMax} bytes.`)}`,
      `WHEN list_unique(${names}) = len(${names}) THEN '{' || ${membersOf(member)} || '}'`,
      `WHEN len(${names}) > ${repeatedNamesMax} THEN ${fail(`JSON_OBJECT with more than ${repeatedNamesMax} names must not repeat a name.`)}`,
    ];
    return `CAST(${notLonger(`CASE ${cases.join(' ')} ELSE '{' || ${first} || '}' END`, context, 'JSON_OBJECT')} AS JSON)`;
  });
}

const valueText = (args: readonly string[], index: number, context: EmitContext): string =>
  bind([argument(args, index)], (value = '') => jsonText(value, context.argTypes[index] ?? { kind: 'NULL' }, 'value'));

/** Values as JSON between two brackets, each with its prefix. The size can double in every step. */
export function jsonOf(
  brackets: '[]' | '{}',
  values: readonly { readonly before: string; readonly index: number }[],
  label: string,
  [args, context]: readonly [readonly string[], EmitContext],
): string {
  const [open = '', close = ''] = brackets;
  const pieces = values.flatMap(({ before, index }, i) => {
    return [quoteText(`${i === 0 ? open : ','}${before}`), valueText(args, index, context)];
  });
  const text = joinedText([...(pieces.length === 0 ? [quoteText(open)] : pieces), quoteText(close)], context, label);
  return `CAST(${notLonger(text, context, label)} AS JSON)`;
}
