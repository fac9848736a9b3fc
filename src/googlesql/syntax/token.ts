export type TokenKind =
  /** An unquoted name or keyword; `word` is its upper case. */
  | 'word'
  /** A backticked identifier; `value` is the text between the backticks, after escapes. */
  | 'quoted'
  | 'integer'
  | 'float'
  /** `value` is the text after escapes. */
  | 'string'
  /** `value` is the bytes in hex. */
  | 'bytes'
  /** `@name`; `value` is the name. */
  | 'parameter'
  | 'symbol'
  | 'end';

/** One lexical unit. `text` is as written (for `symbol` the symbol itself); offsets are UTF-16 units, `end` exclusive. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** Upper case for `word`, empty for all others. */
  readonly word: string;
  readonly value: string;
  readonly offset: number;
  readonly end: number;
}
