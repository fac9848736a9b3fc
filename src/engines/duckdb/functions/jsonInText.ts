import type { EmitFunction } from './emitContext.ts';
import { isStrictJson } from './jsonValidity.ts';
import { bind, withoutJsonNull } from './sqlFragments.ts';

/**
 * A nested value as JSON functions read it: of a string that is JSON text the JSON in it. Strings are told by their first
 * character, and most that hold no JSON by the first character of their text, so that nothing else costs more than that look.
 */
export const jsonInText: EmitFunction = (args) =>
  bind(args, (json = '') => {
    const text = `json_extract_string(${json}, '$')`;
    const read = `CASE WHEN ${isStrictJson(text)} THEN ${withoutJsonNull(`CAST(${text} AS JSON)`)} ELSE ${json} END`;
    const isString = `starts_with(CAST(${json} AS VARCHAR), '"')`;
    return `CASE WHEN ${isString} AND regexp_matches(CAST(${json} AS VARCHAR), '${mayBeJson}') THEN ${read} ELSE ${json} END`;
  });

/** Blanks in a string are written as escapes, a quote as well. */
const mayBeJson = String.raw`^"(?:\s|\\[nrt])*(?:[-\[{0-9tfn]|\\")`;
