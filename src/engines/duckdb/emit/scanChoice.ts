/** The files of one scan and their properties. */
export interface ScanChoice {
  readonly databases: readonly string[];
  /** Ordinals of the selected projects (tableLayout.ts) by database, if known. */
  readonly ordinals: ReadonlyMap<string, readonly number[]>;
  readonly irregular: ReadonlySet<string>;
  /** Conditions that leave out removed events that are still stored (removal/rowMasks.ts), by database. */
  readonly kept: ReadonlyMap<string, string>;
  /** Databases with events that have no arrival number (eventFiles.ts). */
  readonly unnumbered: ReadonlyMap<string, 'some' | 'none'>;
}
