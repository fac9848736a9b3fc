import type { EmitFunction } from './emitContext.ts';
import { isStrictJson } from './jsonValidity.ts';
import { bind, withoutJsonNull } from './sqlFragments.ts';

/**
 * A nested value as JSON functions read it: a string that contains JSON is read as that JSON. Strings are recognised by
 * their first character, and most without JSON by the first character of their text, so other values cost only that
 * check.
 */
export const jsonInText: EmitFunction = (args) =>
  bind(args, (json = '') => {
    const text = `json_extract_string(${json}, '$')`;
    const read = `CASE WHEN ${isStrictJson(text)} THEN ${withoutJsonNull(`CAST(${text} AS JSON)`)} ELSE ${json} END`;
    const isString = `starts_with(CAST(${json} AS VARCHAR), '"')`;
    return `CASE WHEN ${isString} AND regexp_matches(CAST(${json} AS VARCHAR), '${mayBeJson}') THEN ${read} ELSE ${json} END`;
  });

/** In a string, white space and quotes are written as escapes. */
const mayBeJson = String.raw`^"(?:\s|\\[nrt])*(?:[-\[{0-9tfn]|\\")`;
