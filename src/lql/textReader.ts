import { nearestName } from '../core/nearestName.ts';
import { LineMap } from '../googlesql/syntax/lineMap.ts';
import type { Position } from '../googlesql/syntax/nodes.ts';
import { lqlSyntaxError } from './lqlSyntaxError.ts';

/** A value that was read, and the offset after it. */
export interface Read<T> {
  readonly value: T;
  readonly end: number;
}

/** Additional hints in an error. */
export interface Hints {
  /** A whole sentence that says what to do instead. */
  readonly advice?: string | undefined;
  /** The allowed names; the error suggests the one nearest to the word in the text. */
  readonly allowed?: readonly string[] | undefined;
}

/**
 * The text of a query, for a parser that tries one alternative after another. It remembers how far they came: the error is
 * at the first character that no alternative can read.
 */
export class TextReader {
  readonly text: string;
  readonly #lines: LineMap;
  #failure: { readonly offset: number; readonly expected: string; readonly hints: Hints } | null = null;

  constructor(text: string) {
    this.text = text;
    this.#lines = new LineMap(text);
  }

  position(offset: number): Position {
    return this.#lines.position(offset);
  }

  /** The match of a sticky pattern at the offset, or null. */
  match(pattern: RegExp, offset: number): RegExpExecArray | null {
    pattern.lastIndex = offset;
    return pattern.exec(this.text);
  }

  /** Whether the offset is at the end of the text or at white space. */
  isBoundary(offset: number): boolean {
    return offset >= this.text.length || /\s/.test(this.text.charAt(offset));
  }

  /** Starts a clause: forgets earlier failures. */
  begin(): void {
    this.#failure = null;
  }

  /** Records how far an alternative came. If several came equally far, the first one counts. */
  fail(offset: number, expected: string, hints: Hints = {}): null {
    if (this.#failure === null || offset > this.#failure.offset) this.#failure = { offset, expected, hints };
    return null;
  }

  /** The error of the alternative that came furthest, or null if none failed. */
  get error(): Error | null {
    const failure = this.#failure;
    return failure === null ? null : this.errorAt(failure.offset, failure.expected, failure.hints);
  }

  errorAt(offset: number, expected: string, { advice, allowed }: Hints = {}): Error {
    const token = /^(?:\S+|\s)?/.exec(this.text.slice(offset, offset + 100))?.[0] ?? '';
    const pos = this.position(offset);
    if (allowed === undefined) return lqlSyntaxError({ pos, token, expected, advice });
    const nearest = nearestName(/^\w*/.exec(token)?.[0] ?? '', allowed);
    return lqlSyntaxError({ pos, token, expected, advice, allowed, nearest });
  }
}
