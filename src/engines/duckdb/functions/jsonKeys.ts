import { jsonKeysModes } from '../../../googlesql/functions/json.ts';
import { quoteText } from '../emit/literal.ts';
import type { EmitFunction } from './emitContext.ts';
import { scriptedNames } from './scriptedNames.ts';
import { argument, bindInLambda, failure, grownTextBytesMax } from './sqlFragments.ts';

const modeList = jsonKeysModes.map(quoteText).join(', ');

/** Finds the keys in JavaScript, which gives an empty text if they are too long, and sorts them by bytes. */
export const jsonKeys: EmitFunction = (args, context) => {
  const depthWrong = failure(context, 'JSON_KEYS needs a max_depth of 1 or more.');
  const modeWrong = failure(context, `JSON_KEYS needs one of the modes ${modeList}.`);
  const tooLong = failure(context, `The result of JSON_KEYS has more than ${grownTextBytesMax} characters.`);
  return bindInLambda(
    [`CAST(${argument(args, 0)} AS VARCHAR)`, args[1] ?? 'NULL', args[2] ?? "'strict'"],
    (json = '', depth = '', mode = '') => {
      const found = `${scriptedNames.jsonKeys}(${json}, coalesce(${depth}, 9223372036854775807), ${mode})`;
      const keys = bindInLambda(
        [found],
        (text = '') =>
          `CASE WHEN ${text} = '' THEN ${tooLong} ELSE list_sort(CAST(CAST(${text} AS JSON) AS VARCHAR[])) END`,
      );
      const refused = `WHEN ${depth} < 1 THEN ${depthWrong} WHEN ${mode} NOT IN (${modeList}) THEN ${modeWrong}`;
      return `CASE WHEN ${json} IS NULL OR ${mode} IS NULL THEN NULL ${refused} ELSE ${keys} END`;
    },
  );
};
