import type { AroundEvents } from './jsonContainer.ts';

export interface JsonReaderOptions {
  /** Which of several members with the same name counts, or whether they are an error. */
  readonly duplicateKeys: 'first' | 'last' | 'error';
  /** Most levels of nested containers. */
  readonly depthMax: number;
  /**
   * Most members of an object; further ones are parsed but left out (`isCut`). For callers that refuse objects with more
   * members anyway, because building such an object takes long.
   */
  readonly membersMax: number;
  /** Most elements of an array, like `membersMax`. */
  readonly elementsMax: number;
  /**
   * What an array or object in an event or beside events holds beyond this many bytes, counted as in `leastBytes.ts`, is left
   * out too. A long string keeps only its start if that has more characters than this, so it still counts as too large.
   */
  readonly inEventBytesMax: number;
  /** The outermost array or object. What can be an event or hold events has no limit of bytes. */
  readonly aroundEvents: AroundEvents;
  /** Whether names of members count; they are not stored in some protocols. */
  readonly areNamesCounted: boolean;
}
