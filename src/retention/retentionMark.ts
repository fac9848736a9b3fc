/**
 * The time up to which retention has removed events from files. These events stay missing even if the rule was made
 * longer since.
 */
export interface RetentionMark {
  readonly source: string;
  /** Null: projects without their own rules. */
  readonly project: string | null;
  /** Microseconds since 1970. */
  readonly micros: number;
}
