import { createHash, hash } from 'node:crypto';
import type { Pause } from '../core/concurrency/turns.ts';
import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { TruncatedBy } from './rowLimit.ts';

/** Of rows in the cache, so that a hit need not read them all. */
const digests = new WeakMap<Uint8Array, string>();

/**
 * The weak entity tag of an answer (RFC 9110, section 8.8.3): over `result`, the values profile, and whether rows
 * were left out or may be missing, which a caller who keeps the rows must learn anew. `meta` may differ.
 */
export function entityTag(
  rows: Uint8Array,
  profile: ValuesProfile,
  truncatedBy: TruncatedBy | null,
  isDamaged = false,
): string {
  let digest = digests.get(rows);
  if (digest === undefined) {
    digest = hash('sha256', rows, 'base64url').slice(0, 32);
    digests.set(rows, digest);
  }
  return `W/"${digest}.${profile}${truncatedBy === null ? '' : `.${truncatedBy}`}${isDamaged ? '.damaged' : ''}"`;
}

/** Rows of so many bytes have their digest made in turns. */
const partBytes = 1024 * 1024;

/** Has the digest of large rows ready for `entityTag`. */
export async function prepareEntityTag(rows: Uint8Array, pause: Pause): Promise<void> {
  if (rows.byteLength <= partBytes || digests.has(rows)) return;
  const digest = createHash('sha256');
  for (let from = 0; from < rows.byteLength; from += partBytes) {
    digest.update(rows.subarray(from, from + partBytes));
    if (pause.isDue(partBytes)) await pause.take();
  }
  digests.set(rows, digest.digest('base64url').slice(0, 32));
}
