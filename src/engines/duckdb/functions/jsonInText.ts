import type { EmitFunction } from './emitContext.ts';
import { isStrictJson } from './jsonValidity.ts';
import { bind, bindInLambda, withoutJsonNull } from './sqlText.ts';

/**
 * A nested value as JSON functions read it: of a string that is JSON text the JSON in it. Strings are told by their first
 * character, so that nothing else costs more than that look.
 */
export const jsonInText: EmitFunction = (args) =>
  bind(args, (json = '') => {
    const read = bindInLambda(
      [`json_extract_string(${json}, '$')`],
      (text = '') =>
        `CASE WHEN ${isStrictJson(text)} THEN ${withoutJsonNull(`CAST(${text} AS JSON)`)} ELSE to_json(${text}) END`,
    );
    return `CASE WHEN starts_with(CAST(${json} AS VARCHAR), '"') THEN ${read} ELSE ${json} END`;
  });
