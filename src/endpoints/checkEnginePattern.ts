import { checkPattern, estimatedSize, type PatternCheck } from './checkPattern.ts';

/** Steps that the engine's RE2 has room for, with a margin: it refuses programs beyond a fixed size. */
const engineSizeMax = 50_000;
/** Steps of a Unicode class at worst: the engine matches bytes of UTF-8. */
const unicodeClassSize = 150;

/** Unicode classes that our library knows and the engine does not: those of newer versions, and binary properties. */
const unknownClasses: ReadonlySet<string> = new Set(
  `Cn LC Lc Ascii Assigned Unknown Alphabetic ASCII_Hex_Digit Dash Emoji Emoji_Component Emoji_Modifier Emoji_Modifier_Base
   Emoji_Presentation Extended_Pictographic Hex_Digit Lowercase Math Quotation_Mark Terminal_Punctuation Uppercase White_Space
   Beria_Erfe Garay Gurung_Khema Kirat_Rai Ol_Onal Sidetic Sunuwar Tai_Yo Todhri Tolong_Siki Tulu_Tigalari`
    .split(/\s+/)
    .map((name) => name.toLowerCase()),
);

/**
 * As `checkPattern`, of a pattern that the engine is to run. It has a RE2 of its own, which is older and works on bytes: what it
 * refuses is said before a query runs. `isSyntax` is set for all that the engine would not take.
 */
export function checkEnginePattern(text: string): PatternCheck {
  const check = checkPattern(text);
  if (check.kind === 'bad') return check;
  return problemIn(text) ?? check;
}

/** A quoted part, a Unicode class, another escape, a class of names, a named group; or any one character. */
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
        problem: `has the Unicode class ${written}, which is not known here`,
        column,
        isSyntax: true,
      };
    }
    if (isInClass) {
      // A bracket right after the opening, or after its ^, is a member.
      const isFirst = match.index === classFrom || (match.index === classFrom + 1 && text.charAt(classFrom) === '^');
      if (written === ']' && !isFirst) isInClass = false;
    } else if (written === '[') {
      isInClass = true;
      classFrom = match.index + 1;
    } else if (written === '(?<') {
      const problem = 'names a group by (?<name>…), which is not known here; write (?P<name>…)';
      return { kind: 'bad', problem, column, isSyntax: true };
    }
  }
  if (estimatedSize(text, weightOf, engineSizeMax) <= engineSizeMax) return undefined;
  return { kind: 'bad', problem: 'repeats too much: its Unicode classes take too many steps', isSyntax: true };
}

/** Steps of a character, escape or class in a program over bytes. */
function weightOf(part: string): number {
  if (/^\\[pP]/.test(part)) return unicodeClassSize;
  if (part.startsWith('[')) {
    const beyondAscii = part.match(/[^\0-\x7f]|\\x/g)?.length ?? 0;
    return 4 + 4 * beyondAscii + (/\\[pP]/.test(part) ? unicodeClassSize : 0);
  }
  return /^(?:\.|\\[WSD]|[^\0-\x7f])/.test(part) ? 4 : 1;
}
