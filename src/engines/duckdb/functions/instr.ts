import type { EmitFunction } from './emitContext.ts';
import { argument, bind, bindInLambda, constantNumber, failure } from './sqlFragments.ts';

/** Every position of a long text would have to be checked, because the engine cannot search for the n-th occurrence. */
const searchedCharsMax = 10_000;

/** The engine accepts no higher position in SUBSTR. */
const positionMax = 4_294_967_295;

/** Position of an occurrence; occurrences may overlap. A negative position searches backwards from there. */
export const instr: EmitFunction = (args, context) => {
  if (args.length === 2) return `strpos(${args.join(', ')})`;
  const position = constantNumber(context, 2);
  const occurrence = args.length < 4 ? 1 : constantNumber(context, 3);
  if (position !== undefined && position > 0 && position <= positionMax && occurrence === 1) {
    return bind(args.slice(0, 3), (value, search, at) => {
      const found = `strpos(substr(${value}, ${at}), ${search})`;
      // An empty text is found up to the position after the last character.
      return `CASE WHEN ${found} = 0 OR ${at} > length(${value}) + 1 THEN 0 ELSE ${found} + ${at} - 1 END`;
    });
  }
  return bindInLambda(
    [argument(args, 0), argument(args, 1), argument(args, 2), args[3] ?? '1'],
    (value, search, at, nth) => {
      const isNull = [value, search, at, nth].map((arg) => `${arg} IS NULL`).join(' OR ');
      const last = `length(${value}) - length(${search}) + 1`;
      const first = `CASE WHEN ${at} > 0 THEN ${at} ELSE 1 END`;
      const limit = `CASE WHEN ${at} > 0 THEN ${last} ELSE least(${last}, length(${value}) + ${at} + 1) END`;
      const positions = `list_filter(range(${first}, ${limit} + 1), lambda i: substr(${value}, i, length(${search})) = ${search})`;
      const ordered = `CASE WHEN ${at} > 0 THEN ${positions} ELSE list_reverse(${positions}) END`;
      // An empty text is found before every character and after the last one.
      const forwards = `CAST(${at} AS HUGEINT) + ${nth} - 1`;
      const backwards = `greatest(0, length(${value}) + CAST(${at} AS HUGEINT) + 3 - ${nth})`;
      const ofEmpty = `CAST(CASE WHEN ${at} < 0 THEN ${backwards} WHEN ${forwards} > length(${value}) + 1 THEN 0 ELSE ${forwards} END AS BIGINT)`;
      const wrong = failure(context, 'INSTR needs a position other than 0 and an occurrence of 1 or more.');
      const long = failure(
        context,
        `INSTR with a position and an occurrence searches texts up to ${searchedCharsMax} characters.`,
      );
      return `CASE WHEN ${isNull} THEN NULL WHEN ${at} = 0 OR ${nth} < 1 THEN ${wrong} WHEN length(${value}) > ${searchedCharsMax} THEN ${long} WHEN ${search} = '' THEN ${ofEmpty} ELSE coalesce((${ordered})[${nth}], 0) END`;
    },
  );
};
