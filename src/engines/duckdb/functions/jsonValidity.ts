/**
 * Whether a text is JSON. The engine's own test also takes NaN, infinities and a comma before a closing bracket: values made
 * of such text would be written into answers, which would be no JSON either. `json` must be an expression that may stand
 * more than once.
 */
export const isStrictJson = (json: string): string =>
  `(json_valid(${json}) AND NOT ${looksLike(`${noNumber}|${lastComma}`, json)})`;

/**
 * Whether JSON that the engine has found in a text holds NaN or an infinity. Looked for in what was found alone: in whole
 * texts it takes several times as long as reading a member.
 */
export const holdsNoNumber = (found: string): string => looksLike(noNumber, found);

const noNumber = String.raw`(?:^|[\[:,])\s*-?(?i:nan|inf)`;
const lastComma = String.raw`,\s*[}\]]`;
const string = String.raw`"(?:[^"\\]|\\.)*"`;

/** Texts inside hold anything: they are taken out where the whole looks so, which is rare. */
function looksLike(form: string, json: string): string {
  const bare = `regexp_replace(${json}, '${string}', '""', 'g')`;
  return `(regexp_matches(${json}, '${form}') AND regexp_matches(${bare}, '${form}'))`;
}
