/** How fresh a caller wants its answer (contract, section 5: request `Cache-Control`). */
export interface FreshnessDemand {
  /** Nothing that was made before the call will do. */
  readonly mustRun: boolean;
  /** Only what is younger than this will do, seconds; null for whatever the definition allows. */
  readonly maxAgeSeconds: number | null;
  /** Nothing may be run for this call. */
  readonly onlyIfCached: boolean;
}

export const anyFreshness: FreshnessDemand = { mustRun: false, maxAgeSeconds: null, onlyIfCached: false };
