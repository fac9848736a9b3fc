import type { SqlType } from '../../../googlesql/types.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitContext } from './emitContext.ts';
import { type FormatField, formatFields } from './formatFields.ts';
import { literalText, plainText, readAs } from './formatTexts.ts';
import { scriptedNames } from './scriptedNames.ts';
import { bind, bindInLambda } from './sqlFragments.ts';

/**
 * FORMAT with a format or a width that differs by row. All texts that a verb may need of each value are written as for
 * a constant format; a function in JavaScript chooses the verb and lays out the text. It returns `=` and the text, or
 * `!` and the sentence of an error.
 */
export function computedFormat(args: readonly string[], context: EmitContext): string {
  const types = context.argTypes.slice(1, args.length);
  const written = bind(args, (format = '', ...values) => {
    const texts = types.flatMap((type, i) =>
      formatFields(type).map((field) => fieldText(field, values[i] ?? 'NULL', type, format)),
    );
    const list = texts.length === 0 ? "'[]'" : `CAST(to_json([${texts.join(', ')}]) AS VARCHAR)`;
    return `${scriptedNames.format}(${format}, ${quoteText(JSON.stringify(types))}, ${list})`;
  });
  const text = bindInLambda([written], (result = '') => {
    const sentence = `substr(${result}, 2)`;
    const failed = context.safe ? 'NULL' : context.failWith(sentence);
    return `CASE WHEN starts_with(${result}, '!') THEN ${failed} ELSE ${sentence} END`;
  });
  return `CAST(${text} AS VARCHAR)`;
}

/** The verbs that need a field. A row whose format has none of these letters does not need the text. */
const verbsOf: Readonly<Record<FormatField, string>> = {
  whole: '[dixXo*]',
  number: '[fFeEgG]',
  text: 's',
  json: 'p',
  plain: 't',
  literal: 'T',
};

const fieldText = (field: FormatField, value: string, type: SqlType, format: string): string =>
  `CASE WHEN regexp_matches(${format}, '${verbsOf[field]}') THEN CAST(${fieldValue(field, value, type)} AS VARCHAR) END`;

function fieldValue(field: FormatField, value: string, type: SqlType): string {
  switch (field) {
    case 'whole':
      return readAs('d', value, type).value;
    case 'number':
      // 17 digits distinguish every FLOAT64 from its neighbours.
      return bind([readAs('f', value, type).value], (number = '') => `printf('%.17g', ${number})`);
    case 'text':
      return readAs('s', value, type).value;
    case 'json':
      return value;
    case 'plain':
      return bind([value], (v = '') => plainText(v, type));
    case 'literal':
      return bind([value], (v = '') => literalText(v, type));
  }
}
