import { quoteText } from '../emit/literal.ts';

/*
 * The engine matches a pattern by trying, for each `%`, every place of those before it: seconds for four of them in a text
 * of 400 characters, in which it cannot be interrupted. Only a constant pattern without `_` and escapes is quick. Patterns
 * for which that takes long become regular expressions, which take time in proportion to the text.
 */

/** Number of `%`, but for one at the end, for which the engine tries places of one `%` only. */
const wildcardsMax = 1;

/** Up to this length, trying every place of one `%` is quicker than a regular expression. */
const shortMax = 100;

/** Regular expressions for longer patterns would take long themselves. */
export const likeLimits = { charactersMax: 4_000, singlesMax: 100 } as const;

export const longPattern = `A LIKE pattern with a % before its end must have at most ${likeLimits.charactersMax} characters and ${likeLimits.singlesMax} underscores. Use STRPOS or REGEXP_CONTAINS instead.`;

const anyText = '.*';

function regexpLiteral(character: string): string {
  if (character === '\0') return '\\x00';
  return /^[ -~]$/.test(character) && !/\w/.test(character) ? `\\${character}` : character;
}

/**
 * How to match a constant pattern: by the engine, by an expression in place of it, or not at all, because it has too many
 * characters. The expression in lower case is that of the pattern in lower case.
 */
export type LikeMatching =
  | { readonly kind: 'engine' }
  | { readonly kind: 'expression'; readonly expression: string }
  | { readonly kind: 'refused' };

/** `escapeCharacter` is empty if nothing escapes. The pattern must not end with a character that escapes nothing. */
export function likeMatching(pattern: string, escapeCharacter: string): LikeMatching {
  const parts: string[] = [];
  let isTried = false;
  let singles = 0;
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    if (character === escapeCharacter) {
      isTried = true;
      i += 1;
      parts.push(regexpLiteral(characters[i] ?? ''));
    } else if (character === '%') {
      if (parts.at(-1) !== anyText) parts.push(anyText);
    } else if (character === '_') {
      isTried = true;
      singles += 1;
      parts.push('.');
    } else parts.push(regexpLiteral(character));
  }
  const inner = parts.slice(0, -1).filter((part) => part === anyText).length;
  if (!isTried || inner === 0 || (inner <= wildcardsMax && characters.length <= shortMax)) return { kind: 'engine' };
  const { charactersMax, singlesMax } = likeLimits;
  if (characters.length > charactersMax || singles > singlesMax) return { kind: 'refused' };
  return { kind: 'expression', expression: `(?s)${parts.join('')}` };
}

/** The same for a pattern that is not constant: SQL. */
export interface ComputedMatching {
  /** Whether the engine would take long for it. It is quick to find out, and also true for a few others. */
  readonly isLong: string;
  /** Whether it has too many characters for an expression. */
  readonly isRefused: string;
  /** The expression; one that the engine can compile also for patterns that need none. */
  readonly expression: string;
}

/** `pattern` is SQL of a text, which is repeated. */
export function computedMatching(pattern: string, escapeCharacter: string): ComputedMatching {
  const { charactersMax, singlesMax } = likeLimits;
  const hasInner = `${pattern} LIKE '%!%_%' ESCAPE '!'`;
  const hasSeveral = `${pattern} LIKE '%!%%!%_%' ESCAPE '!'`;
  // Most patterns have none between their first and last character, which is the quickest to find out.
  const mayBeLong = `(contains(${pattern}[2:-2], '%') OR strlen(${pattern}) > ${shortMax})`;
  const isLong = `(${mayBeLong} AND ${hasInner} AND (strlen(${pattern}) > ${shortMax} OR ${hasSeveral}))`;
  const isRefused = `(length(${pattern}) > ${charactersMax} OR length(${pattern}) - length(replace(${pattern}, '_', '')) > ${singlesMax})`;
  const token = escapeCharacter === '' ? '(?s).' : `(?s)${regexpLiteral(escapeCharacter)}.|.`;
  const part = `CASE lt WHEN '%' THEN '${anyText}' WHEN '_' THEN '.' ELSE regexp_escape(right(lt, 1)) END`;
  const parts = `list_transform(regexp_extract_all(${pattern}, ${quoteText(token)}), lambda lt: ${part})`;
  const joined = `regexp_replace(list_aggregate(${parts}, 'string_agg', ''), '(\\.\\*)+', '${anyText}', 'g')`;
  // The engine compiles the expression of a pattern that it can compute ahead, whether or not the row needs it.
  return {
    isLong,
    isRefused,
    expression: `CASE WHEN ${isLong} AND NOT ${isRefused} THEN '(?s)' || ${joined} ELSE '' END`,
  };
}
