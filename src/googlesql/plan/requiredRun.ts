/** Shorter runs of letters and digits are in too many texts to exclude any. Part of the format of fragment filters. */
export const runCharsMin = 16;

/** Of a longer run, this many characters: each segment is asked for each of their parts. */
const runCharsMost = 64;

/** A pattern that only matches its own text: without a backslash only `.` is special here, and it is one character. */
const plainPattern = /^(?:[\w\-/:.]|\\\.)*$/;

/**
 * The longest run of ASCII letters and digits that every text matched by the regular expression (RE2) contains, in this
 * case; of a very long one, the beginning. Null if the pattern has other metacharacters than `.`, or no run of at least
 * `runCharsMin` characters.
 */
export function requiredRun(pattern: string): string | null {
  if (!plainPattern.test(pattern)) return null;
  const runs = pattern.match(/[0-9A-Za-z]+/g) ?? [];
  const longest = runs.reduce((longer, run) => (run.length > longer.length ? run : longer), '');
  return longest.length < runCharsMin ? null : longest.slice(0, runCharsMost);
}
