/** A place in the query text. `offset` counts UTF-16 units from 0; `line` and `column` count from 1, the column in UTF-16 units. */
export interface Position {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** What every syntax node has: where its text starts, and the offset just behind its last token. */
export interface Spanned {
  readonly pos: Position;
  readonly end: number;
}
