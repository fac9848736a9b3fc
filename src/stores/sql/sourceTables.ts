export interface SourceTables {
  readonly sources: {
    readonly name: string;
    /** `project` or `metadata.<member>`. */
    readonly project_field: string;
    readonly description: string;
    readonly created_at: number;
  };
  /** Sources that read a table that others fill. Not in `sources`, because a release before would write to them. */
  readonly existing_tables: {
    readonly source: string;
    /** `ExistingTable` as JSON. */
    readonly mapping: string;
    readonly description: string;
    readonly created_at: number;
  };
  readonly source_aliases: {
    readonly alias: string;
    readonly source: string;
  };
}
