import fc from 'fast-check';
import type { Call } from './store.ts';

/** Mostly every row of every project; tokens that may read some projects only, redaction, and answers that are cut. */
export const call: fc.Arbitrary<Call> = fc.record({
  projects: fc.constantFrom(null, null, null, ['own'], ['other'], ['own', 'other'], ['nobody']),
  isRedacted: fc.constantFrom(false, false, false, true),
  rowsMax: fc.constantFrom(1000, 1000, 1000, 5),
});
