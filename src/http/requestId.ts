import type { Clock } from '../core/clock.ts';
import { type Randomness, uuidV7 } from '../core/ids.ts';

const saneToken = /^[A-Za-z0-9._~:+/=@-]{1,128}$/;

/** The caller's `X-Request-Id` if it is a plain token of at most 128 characters, otherwise a new UUID v7. */
export function requestIdOf(
  header: string | readonly string[] | undefined,
  clock: Clock,
  randomness: Randomness,
): string {
  if (typeof header === 'string' && saneToken.test(header)) return header;
  return uuidV7(clock.nowMicros() / 1000, randomness);
}
