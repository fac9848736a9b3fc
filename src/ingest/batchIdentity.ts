import { createHash } from 'node:crypto';
import type { BatchIdentity } from '../ports/eventLog.ts';

export interface IdentifiedBatch {
  readonly tokenId: string;
  readonly source: string;
  /** Null if the caller sent none. */
  readonly idempotencyKey: string | null;
  /** The body after decompression. */
  readonly body: Uint8Array;
  /** Parts of the request besides the body that its events were made from; empty if there are none. */
  readonly besides: string;
  /** Whether every stored event came with its own ID and time. */
  readonly isRecognisable: boolean;
}

/**
 * Identifies a batch, so that a retry is recognised (streams.md): by token, source and Idempotency-Key; without a key
 * by its bytes, if equal bytes cannot mean two different batches; else null.
 */
export function batchIdentity(batch: IdentifiedBatch, answer: string): BatchIdentity | null {
  if (batch.idempotencyKey === null && !batch.isRecognisable) return null;
  const digest = sha256(batch.body);
  const own = batch.idempotencyKey === null ? ['bytes', digest] : ['key', batch.idempotencyKey];
  // As JSON, so that different lists of parts never give the same text.
  if (batch.besides !== '') own.push(batch.besides);
  return { key: sha256(JSON.stringify([batch.tokenId, batch.source, ...own])), digest, answer, owner: batch.tokenId };
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}
