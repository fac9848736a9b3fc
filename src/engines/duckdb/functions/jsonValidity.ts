/**
 * Whether a text is JSON. The engine's own test also takes NaN, infinities and a comma before a closing bracket: values made
 * of such text would be written into answers, which would be no JSON either. `json` must be an expression that may stand
 * more than once.
 */
export const isStrictJson = (json: string): string => isJsonWithout(`${noNumber}|${lastComma}`, json);

/** The same for functions that read text, to which a comma too many is nothing wrong. */
export const isReadableJson = (json: string): string => isJsonWithout(noNumber, json);

const noNumber = String.raw`(?:^|[\[:,])\s*-?(?i:nan|inf)`;
const lastComma = String.raw`,\s*[}\]]`;
const string = String.raw`"(?:[^"\\]|\\.)*"`;

/** Texts inside hold anything: they are taken out where the whole looks wrong, which is rare. */
function isJsonWithout(form: string, json: string): string {
  const bare = `regexp_replace(${json}, '${string}', '""', 'g')`;
  return `(json_valid(${json}) AND NOT (regexp_matches(${json}, '${form}') AND regexp_matches(${bare}, '${form}')))`;
}
