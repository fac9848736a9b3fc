/** Characters that a terminal could obey, reorder or hide: C0, C1, direction marks, separators, tags. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{E0000}-\u{E007F}]/gu;

/** Makes a text safe for one line of a terminal: replaces such characters, including line ends, by JSON escapes. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** Like `printable`, but keeps tabs and line ends. JSON and TypeScript keep their meaning. */
export function printableLines(text: string): string {
  return text.replace(/\r\n|[\t\n]|[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{E0000}-\u{E007F}]/gu, (found) =>
    found === '\r\n' || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

function escaped(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
