export interface SessionTables {
  readonly sessions: {
    /** SHA-256 of the session's secret, lower-case hex. */
    readonly secret_hash: string;
    /** Public ID of the token that the session acts for. */
    readonly token_id: string;
    /** SHA-256 of the token that the session began with, lower-case hex. */
    readonly token_hash: string;
    readonly created_at: number;
    readonly expires_at: number;
  };
}
