import { RE2JS, RE2JSException, RE2JSSyntaxException } from 're2js';

/** Most instructions of a compiled pattern. A pattern of 4,000 plain characters fits. */
const patternSizeMax = 10_000;

/**
 * Limit for folding case over large classes. The library visits each character of a range beyond ASCII (milliseconds
 * per range) and looks up each part of a Unicode class, so 4 KiB of text could block the process for seconds.
 */
const foldingMax = 100;

export type PatternCheck =
  | { readonly kind: 'ok'; readonly pattern: RE2JS }
  /** `problem` completes "the pattern …"; `column` counts characters from 1; `isSyntax`: the pattern is not valid RE2. */
  | { readonly kind: 'bad'; readonly problem: string; readonly column?: number; readonly isSyntax?: true };

/**
 * Compiles an RE2 pattern from a caller. RE2 does not backtrack, but repetition multiplies: a few bytes could need
 * megabytes of program. So its size is limited.
 */
export function checkPattern(text: string): PatternCheck {
  if (text === '') return { kind: 'bad', problem: 'is empty' };
  const tooLarge = {
    kind: 'bad',
    problem: `repeats too much; at most ${patternSizeMax} steps are allowed after expansion`,
  } as const;
  // Estimated first, because compiling a huge pattern takes most of a second.
  if (estimatedSize(text) > patternSizeMax) return tooLarge;
  if (foldingWork(text) > foldingMax) {
    return {
      kind: 'bad',
      problem:
        'has too many Unicode classes or ranges beyond ASCII under (?i); at most 100 classes or 16 ranges are allowed',
    };
  }
  try {
    const pattern = RE2JS.compile(text);
    return pattern.programSize() > patternSizeMax ? tooLarge : { kind: 'ok', pattern };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return describe(text, error);
  }
}

function describe(text: string, error: RE2JSException): PatternCheck {
  if (!(error instanceof RE2JSSyntaxException))
    return { kind: 'bad', problem: 'is not a valid RE2 regular expression', isSyntax: true };
  const fragment = error.getPattern();
  const problem = `is not a valid RE2 regular expression: ${error.getDescription()}`;
  const bad = { kind: 'bad', isSyntax: true } as const;
  if (fragment === null || fragment === '' || fragment === text) return { ...bad, problem };
  const at = text.indexOf(fragment);
  if (at === -1 || text.indexOf(fragment, at + 1) !== -1) return { ...bad, problem: `${problem} (${fragment})` };
  return { ...bad, problem: `${problem} (${fragment})`, column: Array.from(text.slice(0, at)).length + 1 };
}

function foldingWork(text: string): number {
  if (!/\(\?[A-Za-z]*i/.test(text)) return 0;
  const ranges = text.match(/-(?:\\x|[^\0-\x7f])/g)?.length ?? 0;
  const classes = text.match(/\\[pP]/g)?.length ?? 0;
  return ranges * 6 + classes;
}

const repetition = /\{(\d*)(,(\d*))?\}/y;
const longEscape = /\\(?:[pPx]\{[^}]*\}|[pP][^{])/y;
const quoted = /\\Q([\s\S]*?)(?:\\E|$)/y;
const characterClass = /\[\^?\]?(?:\[:[^\]]*:\]|\\[\s\S]|[^\]\\])*\]?/y;

/**
 * Estimates the steps of a pattern after expansion of repetitions; never too few. It accepts any text.
 *
 * @param weigh steps of one character, escape or class
 * @param max counting stops above it
 */
export function estimatedSize(
  text: string,
  weigh: (token: string) => number = () => 1,
  max: number = patternSizeMax,
): number {
  const outer: number[] = [];
  let total = 0;
  let last = 0;
  const take = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let i = 0; i < text.length && total <= max; ) {
    const char = text.charAt(i);
    if (char === '(') {
      outer.push(total);
      total = 0;
      last = 0;
      i += 1;
    } else if (char === ')') {
      last = total + 2;
      total = (outer.pop() ?? 0) + last;
      i += 1;
    } else if (char === '{') {
      const match = take(repetition, i);
      const count = match === null ? 1 : Math.max(1, Number(match[1] || 0), Number(match[3] || 0));
      total += last * (count - 1);
      last *= count;
      i += match?.[0].length ?? 1;
    } else {
      const match =
        char === '\\' ? (take(quoted, i) ?? take(longEscape, i)) : char === '[' ? take(characterClass, i) : null;
      const token = match?.[0] ?? text.slice(i, i + (char === '\\' ? 2 : 1));
      last = match?.[1] === undefined ? weigh(token) : match[1].length;
      total += last;
      i += match?.[0].length ?? (char === '\\' ? 2 : 1);
    }
  }
  return outer.reduce((sum, size) => sum + size, total);
}
