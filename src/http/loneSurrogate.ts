/** One escape of JSON text: a surrogate pair, else half of one (captured), else any other. */
const jsonEscape =
  /\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u([dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g;

/**
 * Where a JSON text escapes half of a surrogate pair, as an offset in UTF-16 code units, or
 * undefined. Such a string stands for no Unicode text, and a reader would change it silently.
 */
export function findLoneSurrogate(jsonText: string): number | undefined {
  for (const match of jsonText.matchAll(jsonEscape)) {
    if (match[1] !== undefined) return match.index;
  }
  return undefined;
}

/** As `findLoneSurrogate`, with a stop about every `stepChars`: what is found at a stop, and last of all. */
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
