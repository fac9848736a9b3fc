export interface SourceTables {
  readonly sources: {
    readonly name: string;
    /** `project` or `metadata.<member>`. */
    readonly project_field: string;
    readonly description: string;
    readonly created_at: number;
  };
  readonly source_aliases: {
    readonly alias: string;
    readonly source: string;
  };
}
