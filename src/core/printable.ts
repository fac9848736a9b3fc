/** What a terminal could take for a command, show in another order than it stands, or hide: C0, C1, marks of direction, separators, tags. */
const unprintable = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{E0000}-\u{E007F}]/gu;

/** A text of one line with nothing in it that a terminal obeys: such characters stand as JSON would escape them. */
export function printable(text: string): string {
  return text.replace(unprintable, escaped);
}

/** As `printable`, of a text that may have tabs and several lines. JSON and TypeScript mean the same afterwards. */
export function printableLines(text: string): string {
  return text.replace(/\r\n|[\t\n]|[\p{Cc}\p{Bidi_Control}\u2028\u2029\u{E0000}-\u{E007F}]/gu, (found) =>
    found === '\r\n' || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

function escaped(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
