import { createHash } from 'node:crypto';

/**
 * What stores keep of the key and of the digest of a batch (BatchIdentity): 128 bits of SHA-256, so that texts of any length
 * have a fixed size. The same in every store, so that identities can be copied.
 */
export function batchFingerprint(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
}
