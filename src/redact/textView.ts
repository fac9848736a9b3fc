/**
 * A text as detectors read it: escapes (`\n`, `\"`, `\u0040`, at any depth of quoting) and
 * percent-encoding (also encoded twice) stand for the character that they mean, digits, letters and signs of
 * full width for those of ASCII, characters that show nothing for nothing, and a mark of an earlier
 * redaction is one character that nothing matches. Every unit of the view knows which part of
 * the raw text it stands for, so a replacement never cuts an escape in two.
 */
export class TextView {
  readonly raw: string;
  readonly text: string;
  /** Where each unit of the view starts in the raw text, with one entry more for the end; null: as it is. */
  readonly #starts: Uint32Array | null;

  private constructor(raw: string, text: string, starts: Uint32Array | null) {
    this.raw = raw;
    this.text = text;
    this.#starts = starts;
  }

  static of(raw: string): TextView {
    if (!mayHoldUnits.test(raw)) return new TextView(raw, raw, null);
    const starts = new Uint32Array(raw.length + 1);
    let text = '';
    let done = 0;
    const copyUntil = (end: number): void => {
      for (let at = done, unit = text.length; at < end; at++, unit++) starts[unit] = at;
      text += raw.slice(done, end);
    };
    for (const match of raw.matchAll(unit)) {
      copyUntil(match.index);
      starts[text.length] = match.index;
      text += meaningOf(match[0]);
      done = match.index + match[0].length;
    }
    copyUntil(raw.length);
    starts[text.length] = raw.length;
    return new TextView(raw, text, starts);
  }

  /** The offset in the raw text at which the unit starts; of the view's end, the raw text's end. */
  rawOffset(unitIndex: number): number {
    return this.#starts === null ? unitIndex : (this.#starts[unitIndex] ?? this.raw.length);
  }

  /** Whether the unit is written as something else than the one character that it means. */
  isDecoded(unitIndex: number): boolean {
    return this.rawOffset(unitIndex + 1) - this.rawOffset(unitIndex) > 1;
  }
}

/** Stands for a mark: no letter, no digit, no space, and in no text that people write. */
const markUnit = '\ue000';

/** What a mark looks like: `[REDACTED:ip]`, or with pseudonyms `[ip:7f3a9c]`. */
const markPattern = String.raw`\[(?:REDACTED:[a-z][a-z0-9_]{0,31}|[a-z][a-z0-9_]{0,31}:[0-9a-f]{6})\]`;
const wholeMark = new RegExp(`^${markPattern}$`);

/** Whether the text is one mark and nothing else. */
export function isMark(text: string): boolean {
  return wholeMark.test(text);
}

/** Digits, letters, `-`, `.`, `:` and `@` as wide as the characters of Chinese and Japanese (Unicode, U+FF01 to U+FF5E). */
const fullWidth = String.raw`[\uff0d\uff0e\uff10-\uff1a\uff20-\uff3a\uff41-\uff5a]`;
/** How far they are from those of ASCII. */
const fullWidthBy = 0xfee0;

/** Soft hyphens, spaces and joiners without width, and byte order marks. */
const unseen = String.raw`[\u00ad\u200b-\u200d\u2060\ufeff]`;

/** What is written as something else than it means, but for marks. */
export const encodedHint = new RegExp(String.raw`\\["/bfnrtu]|%[0-9A-Fa-f]{2}|${fullWidth}|${unseen}`);
const mayHoldUnits = new RegExp(`${encodedHint.source}|:[0-9a-z_]{1,32}\\]`);

/**
 * Marks, escapes, percent-encoded bytes. A run of backslashes before an escape letter is an escape at
 * some depth of quoting; tried at the start of the run only, which keeps long runs linear. `%10.0.0.5`
 * is a per cent sign before an address rather than a control character.
 */
const unit = new RegExp(
  String.raw`${markPattern}|(?<!\\)\\+(?:["/bfnrt]|u[0-9A-Fa-f]{4})|%(?!\d{2,3}(?:\.\d{1,3}){3})(?:25)*[0-9A-Fa-f]{2}|${fullWidth}|${unseen}`,
  'g',
);

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

function meaningOf(written: string): string {
  if (written.startsWith('[')) return markUnit;
  const code = Number.parseInt(written.slice(-2), 16);
  // A byte of a longer character: all that matters is that it is no ASCII. Decoding is left to those who read it.
  if (written.startsWith('%')) return code < 0x80 ? String.fromCharCode(code) : 'é';
  if (!written.startsWith('\\')) return meaningOfCharacter(written.charCodeAt(0));
  const kind = written.charAt(written.lastIndexOf('\\') + 1);
  if (kind === 'u') return meaningOfCharacter(Number.parseInt(written.slice(-4), 16));
  return escapes[kind] ?? kind;
}

const isFullWidth = new RegExp(fullWidth);
const isUnseen = new RegExp(unseen);

function meaningOfCharacter(code: number): string {
  const character = String.fromCharCode(code);
  if (isUnseen.test(character)) return '';
  return isFullWidth.test(character) ? String.fromCharCode(code - fullWidthBy) : character;
}
