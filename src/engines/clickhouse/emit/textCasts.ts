const blanks = String.raw`[ \\t\\n\\r\\f\\v]`;
/** A number as DuckDB's cast reads it: no other spaces, no separators between digits, and a sign after a plus. */
const numberForm = String.raw`^${blanks}*\\+?-?(?:[0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?${blanks}*$`;
const infinityForm = String.raw`(?i)^${blanks}*\\+?-?inf(?:inity)?${blanks}*$`;
const nanForm = String.raw`(?i)^${blanks}*\\+?-?nan(?:\\([a-z0-9_]*\\))?${blanks}*$`;

/** A finite number from text; NULL for other text, and infinite beyond FLOAT64. */
export function numberText(text: string): string {
  const bare = String.raw`replaceRegexpAll(${text}, '^${blanks}*\\+?|${blanks}+$', '')`;
  return `if(match(${text}, '${numberForm}'), toFloat64OrNull(${bare}), NULL)`;
}

/** SAFE_CAST of text to FLOAT64; NULL for text that cannot be cast. */
export function floatText(text: string): string {
  const infinite = `if(position(${text}, '-') > 0, -inf, inf)`;
  return `multiIf(match(${text}, '${numberForm}'), ${numberText(text)}, match(${text}, '${infinityForm}'), ${infinite}, match(${text}, '${nanForm}'), nan, NULL)`;
}

/** SAFE_CAST of text to INT64, in decimal or hexadecimal digits; NULL for text that cannot be cast. */
export function integerText(text: string): string {
  const bare = `trimBoth(${text}, ' ')`;
  const digits = `replaceRegexpOne(${bare}, '^[+-]?0[xX]', '')`;
  const size = `toInt128(reinterpretAsUInt64(reverse(unhex(leftPad(${digits}, 16, '0')))))`;
  const hexadecimal = `if(startsWith(${bare}, '-'), -${size}, ${size})`;
  return `multiIf(match(${bare}, '^[+-]?[0-9]{1,19}$'), accurateCastOrNull(toInt128OrNull(${bare}), 'Int64'), match(${bare}, '^[+-]?0[xX][0-9a-fA-F]{1,16}$'), accurateCastOrNull(${hexadecimal}, 'Int64'), NULL)`;
}

/** SAFE_CAST of text to BOOL; NULL for text that cannot be cast. */
export function boolText(text: string): string {
  return `multiIf(lower(${text}) = 'true', true, lower(${text}) = 'false', false, NULL)`;
}
