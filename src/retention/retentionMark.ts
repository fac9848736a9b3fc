/**
 * Up to where retention has taken events out of files: also where they are kept for longer by now, those before it
 * are not there any more.
 */
export interface RetentionMark {
  readonly source: string;
  /** Null: projects without rules of their own. */
  readonly project: string | null;
  /** Microseconds since 1970. */
  readonly micros: number;
}
