/**
 * Whether a text is JSON. The engine's own test also accepts NaN, infinities and a comma before a closing bracket;
 * values made from such text would make answers invalid JSON. `json` must be an expression that may be written more
 * than once.
 */
export const isStrictJson = (json: string): string =>
  `(json_valid(${json}) AND NOT ${looksLike(`${noNumber}|${lastComma}`, json)})`;

/**
 * Whether JSON that the engine found in a text holds NaN or an infinity. Checks only the found JSON: checking whole
 * texts takes several times as long as reading a member.
 */
export const holdsNoNumber = (found: string): string => looksLike(noNumber, found);

const noNumber = String.raw`(?:^|[\[:,])\s*-?(?i:nan|inf)`;
const lastComma = String.raw`,\s*[}\]]`;
const string = String.raw`"(?:[^"\\]|\\.)*"`;

/** Strings may contain anything, so they are removed if the whole text matches, which is rare. */
function looksLike(form: string, json: string): string {
  const bare = `regexp_replace(${json}, '${string}', '""', 'g')`;
  return `(regexp_matches(${json}, '${form}') AND regexp_matches(${bare}, '${form}'))`;
}
