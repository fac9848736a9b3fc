/** The columns of a table, by their names, that give the parts of an event. */
export interface TableChoice {
  readonly database: string;
  readonly table: string;
  readonly time: string;
  readonly project: string;
  readonly message: string;
  /** Null: the ID is a hash of time, project and message. */
  readonly id: string | null;
  /** A column of JSON objects; null if every other column is a member of metadata. */
  readonly metadata: string | null;
}

/** A column as it was when the source was added. */
export interface ExistingColumn {
  readonly name: string;
  /** In the words of the database. */
  readonly type: string;
  /** The typed column (`HotColumn.kind`) that it is as a member of metadata; null if it is read only within metadata. */
  readonly kind: 'string' | 'int64' | 'float64' | null;
}

/** A table that others fill. Its rows are the events of a source, and nothing is ever written to it. */
export interface ExistingTable extends TableChoice {
  /** Every column that events are made of. */
  readonly columns: readonly ExistingColumn[];
  /** Whether the table keeps replaced rows for a while, so that reads must leave them out. */
  readonly isFinal: boolean;
}
