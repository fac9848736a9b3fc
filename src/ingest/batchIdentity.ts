import { createHash } from 'node:crypto';
import { Pause, type Turns } from '../core/concurrency/turns.ts';
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

/** Bytes of a body that are hashed in one turn, which takes a millisecond or two. */
const hashedBytes = 512 * 1024;

/**
 * Identifies a batch, so that a retry is recognised (streams.md): by token, source and Idempotency-Key; without a key
 * by its bytes, if equal bytes cannot mean two different batches; else null. Reads a large body in turns, and returns a
 * promise for it.
 */
export function batchIdentity(
  batch: IdentifiedBatch,
  answer: string,
  turns: Turns,
): BatchIdentity | null | Promise<BatchIdentity> {
  if (batch.idempotencyKey === null && !batch.isRecognisable) return null;
  if (batch.body.byteLength <= hashedBytes) return identityOf(batch, answer, sha256(batch.body));
  return sha256InTurns(batch.body, new Pause(turns)).then((digest) => identityOf(batch, answer, digest));
}

function identityOf(batch: IdentifiedBatch, answer: string, digest: string): BatchIdentity {
  const own = batch.idempotencyKey === null ? ['bytes', digest] : ['key', batch.idempotencyKey];
  // As JSON, so that different lists of parts never give the same text.
  if (batch.besides !== '') own.push(batch.besides);
  return { key: sha256(JSON.stringify([batch.tokenId, batch.source, ...own])), digest, answer };
}

function sha256(data: Uint8Array | string): string {
  return createHash('sha256').update(data).digest('hex');
}

async function sha256InTurns(data: Uint8Array, pause: Pause): Promise<string> {
  const hash = createHash('sha256');
  for (let from = 0; from < data.byteLength; from += hashedBytes) {
    if (pause.isDue(hashedBytes)) await pause.take();
    hash.update(data.subarray(from, from + hashedBytes));
  }
  return hash.digest('hex');
}
