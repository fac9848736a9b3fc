import { LRUCache } from 'lru-cache';
import { checkPattern, type PatternCheck } from '../../../../endpoints/checkPattern.ts';
import type { Spend } from './scriptedFunction.ts';

export interface Wanted {
  /** The character to search from, 1 or more. It counts as the beginning of the text. */
  readonly position: bigint;
  /** Which match, 1 or more. */
  readonly occurrence: bigint;
  /** Whether to return the position after the match instead of its start. */
  readonly isAfter: boolean;
}

const compiled = new LRUCache<string, PatternCheck>({ max: 256 });

/**
 * The position of a match, or of its one group, in characters from 1; 0 without one. After an empty
 * match the search goes on a character later, and that is its position, as the reference evaluator
 * answers.
 *
 * @returns the problem with the pattern, which completes "the pattern …", where it is not accepted
 */
export function regexpInstr(text: string, pattern: string, wanted: Wanted, spend: Spend): number | string {
  if (pattern === '') return 0;
  const check = checked(pattern, spend);
  if (check.kind === 'bad') return check.problem;
  const start = unitsOf(text, wanted.position - 1n);
  if (start === null) return 0;
  const searched = text.slice(start);
  const matcher = check.pattern.matcher(searched);
  // Each match may be searched up to the end of the text, and the next one again.
  const looks = (from: number): boolean => {
    spend((searched.length - from) * size);
    return matcher.find(from);
  };
  const size = check.pattern.programSize();
  let from = 0;
  for (let occurrence = 1n; from < searched.length && looks(from); occurrence += 1n) {
    const isEmpty = matcher.end() === matcher.start();
    from = isEmpty ? nextCharacter(searched, matcher.end()) : matcher.end();
    if (occurrence < wanted.occurrence) continue;
    const hasGroup = matcher.groupCount() > 0;
    const bounds = hasGroup ? [matcher.start(1), matcher.end(1)] : [isEmpty ? from : matcher.start(), from];
    const at = bounds[wanted.isAfter ? 1 : 0] ?? -1;
    return at < 0 ? 0 : charactersIn(text, start + at) + 1;
  }
  return 0;
}

/** Steps of compiling: the measured maximum for patterns up to the size that `checkPattern` accepts. */
const perCharacter = 200;
const ofFolding = 5_000_000;

function checked(pattern: string, spend: Spend): PatternCheck {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  // A pattern from a column can differ in each row.
  spend(pattern.length * perCharacter + (/\(\?[A-Za-z]*i/.test(pattern) ? ofFolding : 0));
  const check = checkPattern(pattern);
  if (check.kind === 'ok') spend(check.pattern.programSize() * perCharacter);
  compiled.set(pattern, check);
  return check;
}

/** Number of characters (code points) in the first code units of a text. */
function charactersIn(text: string, units: number): number {
  let characters = 0;
  for (let at = 0; at < units; characters++) at = nextCharacter(text, at);
  return characters;
}

/** Number of code units of the first characters of a text; null if it has fewer. */
function unitsOf(text: string, characters: bigint): number | null {
  if (characters >= BigInt(text.length)) return null;
  let at = 0;
  for (let left = Number(characters); left > 0 && at < text.length; left--) at = nextCharacter(text, at);
  return at < text.length ? at : null;
}

/** Position of the next character, or the end of the text. */
const nextCharacter = (text: string, at: number): number =>
  Math.min(text.length, at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1));
