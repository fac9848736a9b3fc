export interface EndpointTables {
  readonly endpoints: {
    readonly id: string;
    /** The name of the current version. */
    readonly name: string;
    readonly current_version: number;
    /** Whether the endpoint answers by its name: 0 or 1. */
    readonly is_primary: number;
    readonly created_at: number;
    readonly updated_at: number;
    /** Kept after deletion, so that a shipped definition does not return and its id is not reused. */
    readonly deleted_at: number | null;
  };
  readonly endpoint_versions: {
    readonly endpoint_id: string;
    readonly version: number;
    /** The definition as JSON, in the fields of the contract, section 3. */
    readonly definition: string;
    readonly created_at: number;
    /** Public ID of a token, or one of `serviceAuthors`. */
    readonly author: string | null;
    readonly note: string;
  };
}
