/** One JSON escape: a surrogate pair, half of one (captured), or any other. */
const jsonEscape =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;

/**
 * Offset, in UTF-16 code units, of the first escape of half a surrogate pair; undefined if there is none. Such a string
 * is not Unicode text, and later readers would change it silently.
 */
export function findLoneSurrogate(jsonText: string): number | undefined {
  for (const match of jsonText.matchAll(jsonEscape)) {
    if (match[1] !== undefined) return match.index;
  }
  return undefined;
}

/** Like `findLoneSurrogate`, but stops about every `stepChars`. If a lone surrogate is found, it is the last item. */
export function* loneSurrogateInSteps(
  jsonText: string,
  stepChars: number,
): Generator<{ readonly at: number; readonly isLone: boolean }, void> {
  let stopAt = stepChars;
  for (const match of jsonText.matchAll(jsonEscape)) {
    if (match[1] !== undefined) return yield { at: match.index, isLone: true };
    if (match.index < stopAt) continue;
    stopAt = match.index + stepChars;
    yield { at: match.index, isLone: false };
  }
}
