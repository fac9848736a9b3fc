import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/**
 * As `expect(found).toEqual(wanted)`, for large values and for many. The comparison of vitest takes many times as long
 * as that of Node, so it runs only if the stricter one of Node finds a difference: to decide, and to show it.
 */
export function expectEqual(found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) expect(found).toEqual(wanted);
}
