import type { Identifier } from './nodes.ts';

/** The name as written, with backticks if it had them. */
export function printIdentifier({ name, quoted }: Pick<Identifier, 'name' | 'quoted'>): string {
  return quoted ? `\`${escapeText(name, '`')}\`` : name;
}

export function printPath(path: readonly Identifier[]): string {
  return path.map(printIdentifier).join('.');
}

/** A single-quoted string literal on one line. */
export function printString(value: string): string {
  return `'${escapeText(value, "'")}'`;
}

/** A bytes literal from its hex digits; printable ASCII stays readable. */
export function printBytes(hex: string): string {
  let text = '';
  for (let at = 0; at < hex.length; at += 2) {
    const digits = hex.slice(at, at + 2);
    const code = Number.parseInt(digits, 16);
    const isReadable = code >= 0x20 && code < 0x7f && code !== 0x27 && code !== 0x5c;
    text += isReadable ? String.fromCharCode(code) : `\\x${digits}`;
  }
  return `b'${text}'`;
}

const letters: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);

function escapeText(text: string, quote: string): string {
  return text.replaceAll(/[\\'`\p{Cc}\u2028\u2029]/gu, (char) => {
    if (char === quote) return `\\${char}`;
    if (char === "'" || char === '`') return char;
    return letters.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
