/** Tables of the ledger of commits (ports/commitLedger.ts). */
export interface CommitTables {
  /** One row: the next arrival number. */
  event_numbers: {
    row: number;
    next: number;
  };
  /** Commits that are not complete. */
  event_commits: {
    first: number;
    end: number;
    node: string;
    /** When it was abandoned, in microseconds since 1970; null while it is open. */
    abandoned_at: number | null;
  };
  /** Identities of batches. */
  event_batches: {
    /** Fingerprint. */
    key: string;
    /** Fingerprint. */
    digest: string;
    answer: string;
    /** `first` of its open commit; null once it is complete. */
    commit_first: number | null;
    /** Microseconds since 1970. */
    stored_at: number;
  };
  /** When nodes last said that they live. Microseconds since 1970 by their own clocks, so only changes mean something. */
  event_nodes: {
    node: string;
    heard_at: number;
  };
  /** Work that one node does at a time. */
  event_leases: {
    work: string;
    node: string;
    until: number;
  };
}
