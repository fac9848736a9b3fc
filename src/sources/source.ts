import type { ExistingTable } from './existingTable.ts';
import type { Shape } from './shape.ts';

/** The member of an event that names its project (streams.md, "Matching field of the project"). */
export type ProjectField = { readonly kind: 'column' } | { readonly kind: 'metadata'; readonly member: string };

/**
 * A typed column: a member of `metadata` that is also stored as a column, because queries often read it.
 *
 * - `string`: the text of a JSON string.
 * - `int64`: a JSON number with an integer value within 64 bits.
 * - `float64`: a JSON number that has a fraction or is at most 2^53 - 1.
 * - `presence`: TRUE if the member is a JSON object or, with an empty path, if the event has metadata.
 *
 * The column is NULL if the member is missing or null (for `presence`, also if it is an empty array, which unnests to
 * nothing). Any other member makes the event *irregular* at this path: the column is NULL, and the fact is recorded for
 * the file, source and project, so that queries read `metadata` there instead.
 */
export interface HotColumn {
  readonly column: string;
  readonly path: readonly string[];
  readonly kind: 'string' | 'int64' | 'float64' | 'presence';
}

/** A declared log stream. */
export interface Source {
  readonly name: string;
  readonly projectField: ProjectField;
  /** Known members of metadata. Unknown ones may occur at any level. */
  readonly shape: Extract<Shape, { kind: 'object' }>;
  readonly hotColumns: readonly HotColumn[];
  /** The table that the source reads if others fill it. Such a source is read only. */
  readonly existing?: ExistingTable | undefined;
}

/** The key of a path in records of irregular events. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
