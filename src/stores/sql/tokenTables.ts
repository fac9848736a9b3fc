export interface TokenTables {
  readonly tokens: {
    readonly public_id: string;
    /** SHA-256 of the whole token text, lower-case hex. */
    readonly secret_hash: string;
    readonly description: string;
    /** Scopes as text, separated by one space. */
    readonly scopes: string;
    /** Whether the scopes include `manage`: 0 or 1. */
    readonly manages: number;
    /** `admin`, `query` or `ingest` if the configuration declares the token. */
    readonly slot: string | null;
    /** JSON (tokens/restrictions.ts); null if the token is not restricted. */
    readonly restrictions: string | null;
    /** The secret before the last rotation, and until when it works; both null or neither. */
    readonly previous_hash: string | null;
    readonly previous_until: number | null;
    readonly created_at: number;
    readonly expires_at: number | null;
    readonly last_used_at: number | null;
    readonly revoked_at: number | null;
  };
}
