import { quoteText } from '../emit/literal.ts';
import type { EmitFunction } from './emitContext.ts';
import { argument, bind, bindInLambda, constantText, failedCall, failure } from './sqlFragments.ts';

/**
 * LIKE and ILIKE. A backslash, or the character after ESCAPE, escapes the next character. A constant pattern without it
 * is written without ESCAPE, which the engine runs much faster.
 */
export const like =
  (mode: 'exact' | 'ignoringCase'): EmitFunction =>
  (args, context) => {
    const [value = '', pattern = ''] = args;
    const [left, right] = mode === 'exact' ? [value, pattern] : [`lower(${value})`, `lower(${pattern})`];
    if (context.constants[2] === null) return 'CAST(NULL AS BOOLEAN)';
    const escapeCharacter = args.length > 2 ? constantText(context, 2) : '\\';
    if (escapeCharacter === undefined || [...escapeCharacter].length > 1) {
      return failedCall(context, 'The text after ESCAPE must be one character.');
    }
    const text = constantText(context, 1);
    const expression = text === undefined ? null : expressionOf(text, escapeCharacter);
    if (expression !== null) {
      const quoted = quoteText(expression);
      return `regexp_full_match(${left}, ${mode === 'exact' ? quoted : `lower(${quoted})`})`;
    }
    if (escapeCharacter === '' || (text !== undefined && !text.includes(escapeCharacter)))
      return `(${left} LIKE ${right})`;
    const withEscape = (x = '', p = ''): string => `(${x} LIKE ${p} ESCAPE ${quoteText(escapeCharacter)})`;
    if (text !== undefined && endsComplete(text, escapeCharacter)) return withEscape(left, right);
    const doubled = quoteText(escapeCharacter.repeat(2));
    return bind([left, right], (x, p) => {
      // After its pairs are removed, the rest of a trailing run escapes nothing.
      const isDangling = `suffix(replace(${p}, ${doubled}, ''), ${quoteText(escapeCharacter)})`;
      return `CASE WHEN ${x} IS NOT NULL AND ${isDangling} THEN ${failure(context, 'The LIKE pattern ends with its escape character.')} ELSE ${withEscape(x, p)} END`;
    });
  };

/**
 * LIKE with an array of patterns: whether one matches, or all do, in three-valued logic. Without patterns, none does
 * and all do.
 */
export const likeOfArray =
  (mode: 'exact' | 'ignoringCase', quantifier: 'any' | 'all'): EmitFunction =>
  (args, context) => {
    const [decisive, otherwise] = quantifier === 'any' ? ['TRUE', 'FALSE'] : ['FALSE', 'TRUE'];
    const match = like(mode);
    return bindInLambda([argument(args, 0), argument(args, 1)], (value = '', patterns = '') => {
      const each = match([value, 'lp'], { ...context, constants: [] });
      // Names the results of the comparisons, so that each is computed once.
      const truth = `CASE WHEN len(lr) = 0 THEN ${otherwise} WHEN ${value} IS NULL THEN NULL WHEN list_contains(lr, ${decisive}) THEN ${decisive} WHEN list_count(lr) < len(lr) THEN NULL ELSE ${otherwise} END`;
      return `list_transform([list_transform(coalesce(${patterns}, []), lambda lp: ${each})], lambda lr: ${truth})[1]`;
    });
  };

/** Number of `%`, but for one at the end. The engine tries every place of each for every place of those before it. */
const wildcardsMax = 1;

/** A regular expression with more `_` would take long itself. */
const singlesMax = 100;

/**
 * A regular expression that matches what a pattern matches, if the engine would take long for the pattern: null for others.
 * The engine tries every place for `%` in a pattern with `_` or an escape: seconds for four of them in a text of 400
 * characters, in which it cannot be interrupted. The expression in lower case is that of the pattern in lower case.
 */
function expressionOf(pattern: string, escapeCharacter: string): string | null {
  if (pattern.includes('\0') || (escapeCharacter !== '' && !endsComplete(pattern, escapeCharacter))) return null;
  const parts: string[] = [];
  let isTried = false;
  let singles = 0;
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    if (character === escapeCharacter) {
      isTried = true;
      i += 1;
      parts.push(literal(characters[i] ?? ''));
    } else if (character === '%') {
      if (parts.at(-1) !== anyText) parts.push(anyText);
    } else if (character === '_') {
      isTried = true;
      singles += 1;
      parts.push('.');
    } else parts.push(literal(character));
  }
  const inner = parts.slice(0, -1).filter((part) => part === anyText).length;
  return !isTried || inner <= wildcardsMax || singles > singlesMax ? null : `(?s)${parts.join('')}`;
}

const anyText = '.*';

const literal = (character: string): string =>
  /^[ -~]$/.test(character) && !/\w/.test(character) ? `\\${character}` : character;

function endsComplete(pattern: string, escapeCharacter: string): boolean {
  for (let i = 0; i < pattern.length; i++) {
    if (pattern.startsWith(escapeCharacter, i)) {
      i += escapeCharacter.length;
      if (i >= pattern.length) return false;
    }
  }
  return true;
}
