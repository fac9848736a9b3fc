const textCharsMax = 4096;
const causesMax = 5;

/** Our tokens, and credentials in headers and URLs, which must never be logged. */
const secrets = /\blm_[A-Za-z0-9_]{8,}|\bbearer\s+[^\s"']{8,}|(?<=:\/\/[^\s/:@]{1,128}:)[^\s/@]+(?=@)/gi;

/** Stack or text of an unknown cause and its own causes, outermost first. Bounded, and without tokens. */
export function describeCause(cause: unknown): string {
  const texts: string[] = [];
  for (
    let at: unknown = cause;
    at !== undefined && texts.length < causesMax;
    at = at instanceof Error ? at.cause : undefined
  ) {
    texts.push(at instanceof Error ? (at.stack ?? `${at.name}: ${at.message}`) : plainText(at));
  }
  const text = texts.join('\ncaused by: ').replace(secrets, '[REDACTED:key]');
  return text.length <= textCharsMax
    ? text
    : `${text.slice(0, textCharsMax)}… (${text.length - textCharsMax} more characters)`;
}

function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? String(value);
  } catch (error) {
    // Circular, or with a bigint: only its type is written.
    return `${Object.prototype.toString.call(value)} (${error instanceof Error ? error.name : 'unwritable'})`;
  }
}
