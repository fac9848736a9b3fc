/** A secret from which the keys of page cursors are derived. */
export interface PageSecret {
  /** The month that it is for, counted from 1970 (`pageMonthMicros`). */
  readonly month: number;
  /** 32 random bytes. */
  readonly secret: Uint8Array;
}

/** Keeps the secrets of page cursors. All nodes of a service have the same. */
export interface PageSecretStore {
  load(): Promise<readonly PageSecret[]>;
  /**
   * Stores a secret, unless the month has one, and removes those of months before the previous one. Returns what is stored
   * then.
   */
  add(secret: PageSecret): Promise<readonly PageSecret[]>;
}

/** 30 days: how long new cursors have the same key. */
export const pageMonthMicros = 30 * 24 * 60 * 60 * 1_000_000;
