import { checkPattern, estimatedSize, type PatternCheck } from './checkPattern.ts';

/** Steps of a program, somewhat below the size that the engine's RE2 refuses. */
const engineSizeMax = 50_000;
/** Most steps of a Unicode class. The engine matches bytes of UTF-8. */
const unicodeClassSize = 150;

/** Unicode classes that our library has and the engine lacks: those of newer versions, and binary properties. */
const unknownClasses: ReadonlySet<string> = new Set(
  `Cn LC Lc Ascii Assigned Unknown Alphabetic ASCII_Hex_Digit Dash Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base
   Emoji_Presentation Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark Terminal_Punctuation Uppercase White_Space
   Beria_Erfe Garay Gurung_Khema Kirat_Rai Ol_Onal Sidetic Sunuwar Tai_Yo Todhri Tolong_Siki Tulu_Tigalari`
    .split(/\s+/)
    .map((name) => name.toLowerCase()),
);

/**
 * Like `checkPattern`, for a pattern that the engine will run. The engine has its own RE2, which is older and works on
 * bytes. This check finds what it refuses before a query runs, and sets `isSyntax` for it.
 */
export function checkEnginePattern(text: string): PatternCheck {
  const check = checkPattern(text);
  if (check.kind === 'bad') return check;
  return problemIn(text) ?? check;
}

/** A quoted part, a Unicode class, another escape, a named class, a named group, or any single character. */
const token = /\\Q[\s\S]*?(?:\\E|$)|\\[pP](?:\{\^?([^}]*)\}|[^{])|\\[\s\S]|\[:\^?\w+:\]|\(\?<|[\s\S]/g;

function problemIn(text: string): PatternCheck | undefined {
  let isInClass = false;
  let classFrom = 0;
  for (const match of text.matchAll(token)) {
    const [written, name] = match;
    const column = Array.from(text.slice(0, match.index)).length + 1;
    if (name !== undefined && unknownClasses.has(name.replaceAll(/[-\s]/g, '_').toLowerCase())) {
      return {
        kind: 'bad',
        problem: `has the Unicode class ${written}, which the engine does not support`,
        column,
        isSyntax: true,
      };
    }
    if (isInClass) {
      // A ] right after the opening bracket or its ^ is a member.
      const isFirst = match.index === classFrom || (match.index === classFrom + 1 && text.charAt(classFrom) === '^');
      if (written === ']' && !isFirst) isInClass = false;
    } else if (written === '[') {
      isInClass = true;
      classFrom = match.index + 1;
    } else if (written === '(?<') {
      const problem = 'names a group with (?<name>…), which the engine does not support; write (?P<name>…)';
      return { kind: 'bad', problem, column, isSyntax: true };
    }
  }
  if (estimatedSize(text, weightOf, engineSizeMax) <= engineSizeMax) return undefined;
  return { kind: 'bad', problem: 'repeats too much: its Unicode classes need too many steps', isSyntax: true };
}

/** Estimated steps of a character, escape or class in a program over bytes. */
function weightOf(part: string): number {
  if (/^\\[pP]/.test(part)) return unicodeClassSize;
  if (part.startsWith('[')) {
    const beyondAscii = part.match(/[^\0-\x7f]|\\x/g)?.length ?? 0;
    return 4 + 4 * beyondAscii + (/\\[pP]/.test(part) ? unicodeClassSize : 0);
  }
  return /^(?:\.|\\[WSD]|[^\0-\x7f])/.test(part) ? 4 : 1;
}
