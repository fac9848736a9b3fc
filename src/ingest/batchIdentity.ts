import { createHash } from 'node:crypto';
import type { BatchIdentity } from '../ports/eventLog.ts';

export interface IdentifiedBatch {
  readonly tokenId: string;
  readonly source: string;
  /** Null where the caller gave none. */
  readonly idempotencyKey: string | null;
  /** The body without its Content-Encoding. */
  readonly body: Uint8Array;
  /** Whether every event that is stored came with an id and a time of its own. */
  readonly isRecognisable: boolean;
}

/**
 * What a retry of a batch is recognised by (streams.md): token, source and Idempotency-Key, or
 * without a key the bytes, where they cannot mean two different batches; else null.
 */
export function batchIdentity(batch: IdentifiedBatch, answer: string): BatchIdentity | null {
  if (batch.idempotencyKey === null && !batch.isRecognisable) return null;
  const digest = sha256(batch.body);
  const own = batch.idempotencyKey === null ? ['bytes', digest] : ['key', batch.idempotencyKey];
  // As JSON, so that no two lists of parts run together into one text.
  return { key: sha256(JSON.stringify([batch.tokenId, batch.source, ...own])), digest, answer };
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
