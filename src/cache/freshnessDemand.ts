/** How fresh the answer must be (contract, section 5: request `Cache-Control`). */
export interface FreshnessDemand {
  /** Whether only a run that starts after the call is acceptable. */
  readonly mustRun: boolean;
  /** Maximum age of an acceptable result in seconds, or null for the limit of the definition. */
  readonly maxAgeSeconds: number | null;
  /** Whether the call must not start a run. */
  readonly onlyIfCached: boolean;
}

export const anyFreshness: FreshnessDemand = { mustRun: false, maxAgeSeconds: null, onlyIfCached: false };
