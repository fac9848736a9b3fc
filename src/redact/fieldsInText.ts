import { isDoubtfulName, isSecretNumber, isSecretUnder } from './detectors/doubtfulNames.ts';
import type { FieldRules } from './fieldRules.ts';
import { isNameMember, isPathMember, isValueMember, lastOfPath } from './namedValues.ts';
import { isMark, type TextView } from './textView.ts';

/** A value of a personal member in a text that is only partly JSON; offsets of the view. */
export interface FieldValue {
  readonly from: number;
  readonly to: number;
  readonly kind: string;
  /** A number, which becomes null. */
  readonly isNumber: boolean;
}

const nameCharsMax = 64;
/** The characters after the name of a member. */
export const nameHint = /"\s*:/;
const afterName = /"\s*:\s*/g;
const number = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/**
 * Finds values of personal members in JSON within a text, at any quoting depth: after other text, several in a row, or
 * truncated. An unclosed value is personal up to the end of the text.
 */
export function fieldsInText(view: TextView, rules: FieldRules): readonly FieldValue[] {
  const found: FieldValue[] = [];
  let done = 0;
  for (const match of view.text.matchAll(afterName)) {
    if (match.index < done) continue;
    const name = nameBefore(view.text, match.index);
    if (name === undefined) continue;
    const kind = rules.kindOfName(name) ?? (isValueMember(name) ? kindBeside(view.text, match, rules) : undefined);
    const start = match.index + match[0].length;
    if (kind !== undefined) done = new ValueReader(view, match.index, kind, found).read(start);
    else if (isDoubtfulName(name) && view.text.charAt(start) !== '{') {
      const values: FieldValue[] = [];
      new ValueReader(view, match.index, 'key', values).read(start);
      const isSecret = ({ from, to, isNumber }: FieldValue) =>
        (isNumber ? isSecretNumber : isSecretUnder)(name, view.text.slice(from, to));
      found.push(...values.filter(isSecret));
    }
  }
  return found;
}

function nameBefore(text: string, closingQuote: number): string | undefined {
  const from = text.lastIndexOf('"', closingQuote - 1);
  return from < 0 || closingQuote - from > nameCharsMax ? undefined : text.slice(from + 1, closingQuote);
}

const beforeMax = 512;
const afterMax = 4_096;
const textMember = /"([\w-]{1,64})"\s{0,16}:\s{0,16}"([^"]{1,64})"/g;
const flatValue = /^"\s{0,16}:\s{0,16}(?:"[^"]{0,2048}"|[^"{}[\]]{1,64}(?="))/;

/** The kind that another member of the same object gives a value: `"name":"Cookie","value":"…"`. */
function kindBeside(text: string, { index }: RegExpExecArray, rules: FieldRules): string | undefined {
  const before = text.slice(Math.max(0, index - beforeMax), index);
  const opening = Math.max(before.lastIndexOf('{'), before.lastIndexOf('}'));
  const after = text.slice(index, index + afterMax);
  const others = after.slice(flatValue.exec(after)?.[0].length ?? afterMax);
  const closing = others.search(/[{}]/);
  for (const part of [before.slice(opening + 1), closing < 0 ? others : others.slice(0, closing)]) {
    for (const [, member = '', name = ''] of part.matchAll(textMember)) {
      const named = isNameMember(member) ? name : isPathMember(member) ? lastOfPath(name) : undefined;
      const kind = named === undefined ? undefined : rules.kindOfName(named);
      if (kind !== undefined) return kind;
    }
  }
  return undefined;
}

/**
 * Reads one personal value, and records its strings and numbers. A quote has as many backslashes as its quoting depth
 * requires (0, 1, 3, 7 …), more if it is inside a string of that depth, and another number if it ends a surrounding string.
 */
class ValueReader {
  readonly #view: TextView;
  readonly #backslashes: number;
  readonly #kind: string;
  readonly #found: FieldValue[];

  /** `nameQuote` is a quote of the member's name; quotes of the value have the same number of backslashes. */
  constructor(view: TextView, nameQuote: number, kind: string, found: FieldValue[]) {
    this.#view = view;
    this.#backslashes = backslashesOf(view, nameQuote);
    this.#kind = kind;
    this.#found = found;
  }

  /** The end of the value at `start`. */
  read(start: number): number {
    const { text } = this.#view;
    let depth = 0;
    for (let at = start; at < text.length; ) {
      const character = text.charAt(at);
      if (character === '"') {
        if (this.#endsWhatIsAround(at)) return at;
        at = this.#string(at, depth > 0);
      } else if (/[-\d]/.test(character)) at = this.#number(at);
      else {
        if (character === '{' || character === '[') depth++;
        else if (character === '}' || character === ']') depth--;
        else if (depth === 0) return at;
        at++;
      }
      if (depth <= 0) return at;
    }
    return text.length;
  }

  #string(at: number, mayBeName: boolean): number {
    const { text, raw } = this.#view;
    const end = this.#endOfString(at);
    const isClosed = end < text.length && !this.#endsWhatIsAround(end);
    const isName = mayBeName && isClosed && /^"\s*:/.test(text.slice(end, end + nameCharsMax));
    const content = raw.slice(this.#view.rawOffset(at + 1), this.#view.rawOffset(end));
    if (!isName && !isMark(content)) this.#found.push({ from: at + 1, to: end, kind: this.#kind, isNumber: false });
    return isClosed ? end + 1 : end;
  }

  /** The quote that ends the string or a surrounding one; the end of the text if there is none. */
  #endOfString(opening: number): number {
    const { text } = this.#view;
    const period = 2 * (this.#backslashes + 1);
    for (let at = text.indexOf('"', opening + 1); at >= 0; at = text.indexOf('"', at + 1)) {
      const isClosing = backslashesOf(this.#view, at) % period === this.#backslashes;
      if (isClosing || this.#endsWhatIsAround(at)) return at;
    }
    return text.length;
  }

  #endsWhatIsAround(quote: number): boolean {
    return (backslashesOf(this.#view, quote) & this.#backslashes) !== this.#backslashes;
  }

  #number(at: number): number {
    number.lastIndex = at;
    if (!number.test(this.#view.text)) return at + 1;
    this.#found.push({ from: at, to: number.lastIndex, kind: this.#kind, isNumber: true });
    return number.lastIndex;
  }
}

function backslashesOf(view: TextView, quote: number): number {
  return view.rawOffset(quote + 1) - view.rawOffset(quote) - 1;
}
