import { createHash, hash } from 'node:crypto';
import type { Pause } from '../core/concurrency/turns.ts';
import type { ValuesProfile } from '../ports/queryEngine.ts';
import type { TruncatedBy } from './rowLimit.ts';

/** Digests of cached rows, so that a hit need not read all of them. */
const digests = new WeakMap<Uint8Array, string>();

/**
 * Computes the weak entity tag of an answer (RFC 9110, section 8.8.3). It covers `result`, the values profile, and
 * whether rows were omitted or may be missing, because a client that keeps the rows must learn of a change there.
 * `meta` may differ.
 *
 * @param format from `formatTag`
 */
export function entityTag(
  rows: Uint8Array,
  profile: ValuesProfile,
  truncatedBy: TruncatedBy | null,
  isDamaged = false,
  format = '',
): string {
  let digest = digests.get(rows);
  if (digest === undefined) {
    digest = hash('sha256', rows, 'base64url').slice(0, 32);
    digests.set(rows, digest);
  }
  return `W/"${digest}.${profile}${truncatedBy === null ? '' : `.${truncatedBy}`}${isDamaged ? '.damaged' : ''}${format}"`;
}

/** Rows of more bytes are hashed in turns. */
const partBytes = 1024 * 1024;

/** Computes the digest of large rows in turns, ready for `entityTag`. */
export async function prepareEntityTag(rows: Uint8Array, pause: Pause): Promise<void> {
  if (rows.byteLength <= partBytes || digests.has(rows)) return;
  const digest = createHash('sha256');
  for (let from = 0; from < rows.byteLength; from += partBytes) {
    // Before the first part too, because many calls may share a run and get its rows at once. The first one hashes them.
    if (pause.isDue(partBytes)) await pause.take();
    if (digests.has(rows)) return;
    digest.update(rows.subarray(from, from + partBytes));
  }
  digests.set(rows, digest.digest('base64url').slice(0, 32));
}
