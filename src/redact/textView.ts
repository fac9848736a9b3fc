/**
 * A text as detectors read it. Escapes (`\n`, `\"`, `\u0040`, `\x40`, `\100`, at any quoting depth), HTML entities (`&#64;`,
 * `&#64` and `&commat;`, also encoded twice), `=40` and soft line breaks of mails, and percent-encoding (also encoded twice)
 * are decoded. Full-width characters become ASCII, invisible characters and colours of terminals are removed, and a mark of an
 * earlier redaction is one character that nothing matches. Every unit of the view maps to a part of the raw text, so a
 * replacement never splits an escape.
 */
export class TextView {
  readonly raw: string;
  readonly text: string;
  /** The start of each unit in the raw text, with one more entry for the end; null if view and raw text are equal. */
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
      const end = match.index + match[0].length;
      text += isColours.test(match[0]) ? meaningOfColours(raw, match.index, end) : meaningOf(match[0]);
      done = end;
    }
    copyUntil(raw.length);
    starts[text.length] = raw.length;
    return new TextView(raw, text, starts);
  }

  /** The offset in the raw text at which a unit starts; for the end of the view, the end of the raw text. */
  rawOffset(unitIndex: number): number {
    return this.#starts === null ? unitIndex : (this.#starts[unitIndex] ?? this.raw.length);
  }

  /** Whether the unit is encoded in the raw text. */
  isDecoded(unitIndex: number): boolean {
    return this.rawOffset(unitIndex + 1) - this.rawOffset(unitIndex) > 1;
  }
}

/** Represents a mark: not a letter, digit or space, and not a character that people write. */
const markUnit = '\ue000';

/** The form of a mark: `[REDACTED:ip]`, or with pseudonyms `[ip:7f3a9c]`. */
const markPattern = String.raw`\[(?:REDACTED:[a-z][a-z0-9_]{0,31}|[a-z][a-z0-9_]{0,31}:[0-9a-f]{6})\]`;
const wholeMark = new RegExp(`^${markPattern}$`);

/** Whether the text is one mark and nothing else. */
export function isMark(text: string): boolean {
  return wholeMark.test(text);
}

/** Full-width and small forms of ASCII characters (Unicode, U+FF01 to U+FF5E, U+FE50 to U+FE6B, U+2024). */
const fullWidth = String.raw`[\uff01-\uff5e\ufe50-\ufe6b\u2024]`;

/**
 * Invisible characters: soft hyphens, zero-width joiners and spaces, directional marks, fillers, variation selectors, byte
 * order marks, tags, the blank Braille pattern (Unicode, Default_Ignorable_Code_Point, and U+FFF9 to U+FFFB).
 */
const unseenUnit = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb`;
const unseen = String.raw`(?:[${unseenUnit}]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff])`;
/** The same as percent-encoded bytes of UTF-8, for the most frequent ones below U+10000. */
const unseenBytes = [
  ['[Cc]2', '[Aa][Dd]'],
  ['[Ee]1', '[Aa]0', '8[B-Fb-f]'],
  ['[Ee]2', '80', '(?:8[B-Fb-f]|[Aa][A-Ea-e])'],
  ['[Ee]2', '81', '[Aa][0-9A-Fa-f]'],
  ['[Ee][Ff]', '[Bb]8', '8[0-9A-Fa-f]'],
  ['[Ee][Ff]', '[Bb][Bb]', '[Bb][Ff]'],
]
  .map((bytes) => bytes.map((byte) => `%(?:25)*${byte}`).join(''))
  .join('|');

/** The named entities that matter, with their characters. */
const entityNames: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  colon: ':',
  lsqb: '[',
  rsqb: ']',
  hyphen: '-',
  lowbar: '_',
  plus: '+',
  quot: '"',
  apos: "'",
  equals: '=',
  sol: '/',
  percnt: '%',
  lt: '<',
  gt: '>',
  nbsp: ' ',
  shy: '',
  zwj: '',
  zwnj: '',
  lrm: '',
  rlm: '',
  ZeroWidthSpace: '',
  NoBreak: '',
};

/** A numeric entity, whose `;` is optional in HTML, or a named one; its `&` may itself be encoded, more than once. */
const entity = String.raw`&(?:[aA][mM][pP];|#0*38;|#[xX]0*26;)*(?:#0*[1-9]\d{0,6}(?:;|(?!\d))|#[xX]0*[1-9A-Fa-f][0-9A-Fa-f]{0,5}(?:;|(?![0-9A-Fa-f]))|(?:${Object.keys(entityNames).join('|')});)`;
/** `=40` of quoted-printable, if a host name follows and not a unit of measure. */
const printable = String.raw`(?<=[A-Za-z0-9._+-])=40(?=[A-Za-z])(?!(?:ms|s|us|ns|px|kb|mb|gb|b|k|m|h|d|x|em|rem|pt)\.)(?=[A-Za-z0-9-]{1,63}\.[A-Za-z])`;
/** `\100` as an octal escape, if a host name follows; otherwise it is part of a path. */
const octal = String.raw`100(?=[A-Za-z0-9-]{1,63}\.[A-Za-z])`;
/** A soft line break of quoted-printable, which has no meaning (RFC 2045, section 6.7). */
const softBreak = String.raw`=\r?\n(?<=[^\r\n]{50}=\r?\n)`;

/**
 * Control sequences of terminals, such as colours (ECMA-48, section 5.4), with the escape character itself or as logs and
 * source texts write it: `\u001b[31m`, `\x1b[0m`, `\033[K`, `\e[1m`.
 */
const writtenEscape = String.raw`\\+(?:u001[Bb]|u\{1[Bb]\}|x1[Bb]|033|e)\[`;
const colours = String.raw`(?:(?:\u001b\[|\u009b)[0-9;?]{0,32}[A-Za-z]|(?<!\\)${writtenEscape}[0-9;?]{0,32}[mK])+`;

/** Matches every text with something to decode, except marks. */
export const encodedHint = new RegExp(
  String.raw`\\(?:["/bfnrtuUx]|100|033|e\[)|[\u001b\u009b]|%(?:[0-9A-Fa-f]{2}|u)|${fullWidth}|${unseen}|&[#A-Za-z]|${printable}|=\r?\n`,
);
const mayHoldUnits = new RegExp(`${encodedHint.source}|:[0-9a-z_]{1,32}\\]`);

/**
 * Marks, escapes, percent-encoded bytes. A run of backslashes before an escape letter is an escape at some quoting depth; it
 * is tried only at the start of the run, which keeps long runs linear. `%10.0.0.5` is a percent sign before an address, not
 * a control character.
 */
const unit = new RegExp(
  String.raw`${markPattern}|${colours}|(?<!\\)\\+(?:["/bfnrt]|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,8}\}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|${octal})|${entity}|${printable}|${softBreak}|${unseenBytes}|%(?:25)*u[0-9A-Fa-f]{4}|%(?!\d{2,3}(?:\.\d{1,3}){3})(?:25)*[0-9A-Fa-f]{2}|${fullWidth}|${unseen}`,
  'g',
);

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const isColours = new RegExp(String.raw`^(?:[\u001b\u009b]|${writtenEscape})`);

/** Nothing, but between letters or digits a letter: `200` and an address in another colour are not one number. */
function meaningOfColours(raw: string, from: number, to: number): string {
  return /[\p{L}\p{N}]/u.test(raw.charAt(from - 1)) && /[\p{L}\p{N}]/u.test(raw.charAt(to)) ? foreign : '';
}

/** The decoded text of a match: at most one unit, which starts where the match starts. */
function meaningOf(written: string): string {
  if (written.startsWith('[')) return markUnit;
  if (written.startsWith('&')) return meaningOfEntity(written);
  if (isUnseenBytes.test(written)) return '';
  if (written.startsWith('%')) return meaningOfPercent(written);
  if (written.startsWith('=')) return written === '=40' ? '@' : '';
  if (!written.startsWith('\\')) return meaningOfCharacter(written);
  const kind = written.charAt(written.lastIndexOf('\\') + 1);
  if (kind === '1') return '@';
  return /[uUx]/.test(kind) ? meaningOfNumber(/[0-9A-Fa-f]+(?=\}?$)/.exec(written)?.[0], 16) : (escapes[kind] ?? kind);
}

const isFullWidth = new RegExp(fullWidth);
/** A tag may be written as two escapes, one for each surrogate. */
const isUnseen = new RegExp(String.raw`${unseen}|^[\udb40-\udb43]$`);
const isUnseenBytes = new RegExp(`^(?:${unseenBytes})$`);

function meaningOfCharacter(character: string): string {
  if (isUnseen.test(character)) return '';
  return isFullWidth.test(character) ? character.normalize('NFKC') : character;
}

/** A byte of a longer character. It only matters that it is not ASCII, so it is not decoded further. */
const foreign = 'é';

function meaningOfPercent(written: string): string {
  const number = /u[0-9A-Fa-f]{4}$/.exec(written)?.[0].slice(1);
  if (number !== undefined) return meaningOfNumber(number, 16);
  const code = Number.parseInt(written.slice(-2), 16);
  return code < 0x80 ? String.fromCharCode(code) : foreign;
}

function meaningOfNumber(digits = '', radix: 10 | 16): string {
  const code = Number.parseInt(digits, radix);
  if (!(code <= 0x10ffff)) return foreign;
  const meaning = meaningOfCharacter(String.fromCodePoint(code));
  return meaning.length > 1 ? foreign : meaning;
}

function meaningOfEntity(written: string): string {
  const [, hex, decimal, name = ''] = /(?:#[xX]0*([0-9A-Fa-f]+)|#0*(\d+)|([A-Za-z]+));?$/.exec(written) ?? [];
  if (hex !== undefined) return meaningOfNumber(hex, 16);
  if (decimal !== undefined) return meaningOfNumber(decimal, 10);
  return entityNames[name] ?? name.charAt(0);
}
