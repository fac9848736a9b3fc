import type { WorkClaims } from '../../ports/workClaims.ts';

/** Claims of one process, which does all work itself. */
export class MemoryWorkClaims implements WorkClaims {
  claim(): boolean {
    return true;
  }
}
