import { quoteText } from '../emit/literal.ts';
import type { EmitFunction } from './emitContext.ts';
import { computedMatching, likeMatching, longPattern } from './likeExpression.ts';
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
    if (escapeCharacter === undefined || !/^[\0-\x7f]?$/.test(escapeCharacter)) {
      return failedCall(context, 'The text after ESCAPE must be one ASCII character.');
    }
    const text = constantText(context, 1);
    const dangling = 'The LIKE pattern ends with its escape character.';
    const withEscape = (x = '', p = ''): string =>
      escapeCharacter === '' || (text !== undefined && !text.includes(escapeCharacter))
        ? `(${x} LIKE ${p})`
        : `(${x} LIKE ${p} ESCAPE ${quoteText(escapeCharacter)})`;
    if (text !== undefined) {
      if (!endsComplete(text, escapeCharacter)) return unlessNull(left, failedCall(context, dangling));
      const matching = likeMatching(text, escapeCharacter);
      if (matching.kind === 'refused') return unlessNull(left, failedCall(context, longPattern));
      if (matching.kind === 'engine') return withEscape(left, right);
      const quoted = quoteText(matching.expression);
      return `regexp_full_match(${left}, ${mode === 'exact' ? quoted : `lower(${quoted})`})`;
    }
    const doubled = quoteText(escapeCharacter.repeat(2));
    return bind([left, right], (x = '', p = '') => {
      const fails = (when: string, sentence: string) =>
        `WHEN ${x} IS NOT NULL AND ${when} THEN ${failure(context, sentence)}`;
      // After its pairs are removed, the rest of a trailing run escapes nothing.
      const ends = (what: string) => `suffix(${what}, ${quoteText(escapeCharacter)})`;
      const isDangling = `${ends(p)} AND ${ends(`replace(${p}, ${doubled}, '')`)}`;
      const whenDangling = escapeCharacter === '' ? '' : `${fails(isDangling, dangling)} `;
      const { isLong, isRefused, expression } = computedMatching(p, escapeCharacter);
      const long = `CASE ${fails(isRefused, longPattern)} ELSE regexp_full_match(${x}, ${expression}) END`;
      return `CASE ${whenDangling}WHEN ${isLong} THEN ${long} ELSE ${withEscape(x, p)} END`;
    });
  };

const unlessNull = (value: string, failed: string): string => `CASE WHEN ${value} IS NOT NULL THEN ${failed} END`;

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

function endsComplete(pattern: string, escapeCharacter: string): boolean {
  if (escapeCharacter === '') return true;
  for (let i = 0; i < pattern.length; i++) {
    if (pattern.startsWith(escapeCharacter, i)) {
      i += escapeCharacter.length;
      if (i >= pattern.length) return false;
    }
  }
  return true;
}
