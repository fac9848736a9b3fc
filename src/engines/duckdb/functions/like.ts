import { quoteText } from '../emit/literal.ts';
import type { EmitFunction } from './emitContext.ts';
import { bind, constantText, failedCall, failure } from './sqlText.ts';

/**
 * LIKE and ILIKE. A backslash, or the character after ESCAPE, takes the next character as it is.
 * A constant pattern without it is written without ESCAPE, which the engine runs much faster.
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
    if (escapeCharacter === '' || (text !== undefined && !text.includes(escapeCharacter)))
      return `(${left} LIKE ${right})`;
    const withEscape = (x = '', p = ''): string => `(${x} LIKE ${p} ESCAPE ${quoteText(escapeCharacter)})`;
    if (text !== undefined && endsComplete(text, escapeCharacter)) return withEscape(left, right);
    const doubled = quoteText(escapeCharacter.repeat(2));
    return bind([left, right], (x, p) => {
      // What is left of a trailing run after its pairs are taken out escapes nothing.
      const isDangling = `suffix(replace(${p}, ${doubled}, ''), ${quoteText(escapeCharacter)})`;
      return `CASE WHEN ${x} IS NOT NULL AND ${isDangling} THEN ${failure(context, 'The LIKE pattern ends with its escape character.')} ELSE ${withEscape(x, p)} END`;
    });
  };

function endsComplete(pattern: string, escapeCharacter: string): boolean {
  for (let i = 0; i < pattern.length; i++) {
    if (pattern.startsWith(escapeCharacter, i)) {
      i += escapeCharacter.length;
      if (i >= pattern.length) return false;
    }
  }
  return true;
}
