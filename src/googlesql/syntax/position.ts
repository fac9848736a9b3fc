/** A position in the query text. `offset` counts UTF-16 units from 0; `line` and `column` count from 1, the column in UTF-16 units. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** The span of a syntax node: where its text starts, and the offset after its last token. */
export interface Spanned {
  readonly pos: Position;
  readonly end: number;
}
