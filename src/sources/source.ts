import type { Shape } from './shape.ts';

/** Where an event of a source carries its project (streams.md, "Matching field of the project"). */
export type ProjectField = { readonly kind: 'column' } | { readonly kind: 'metadata'; readonly member: string };

/**
 * A member of `metadata` that is stored a second time as a typed column, because queries touch it
 * most (design: hot columns).
 *
 * - `string`: the column holds the text where the member is a JSON string.
 * - `int64`: the column holds the number where the member is a JSON number with an integer value within 64 bits.
 * - `float64`: the column holds the number where the member is a JSON number that has a fraction or is at most 2^53 - 1.
 * - `presence`: the column holds TRUE where the member is a JSON object; with an empty path, where the event has metadata.
 *
 * In every kind the column is NULL where the member is missing or null (for `presence` also an
 * empty array, which unnests to nothing). A member that is neither absent nor of the kind makes
 * the event *irregular* at this path: the column is NULL and the fact is recorded for the file,
 * source and project, so that queries read `metadata` there instead.
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
  /** Known members of metadata; unknown ones may appear at any level. */
  readonly shape: Extract<Shape, { kind: 'object' }>;
  readonly hotColumns: readonly HotColumn[];
}

/** The identity of a path in facts about irregular events. */
export function pathKey(path: readonly string[]): string {
  return JSON.stringify(path);
}
