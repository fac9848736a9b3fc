import * as z from 'zod';
import { CliError } from '../cliError.ts';
import { type ProblemDocument, renderProblem } from '../problemDocument.ts';
import { callService, type ServiceAddress } from '../serviceClient.ts';
import type { LineBatch } from './lineBatches.ts';

export interface RejectedLine {
  readonly lineNumber: number;
  readonly code: string;
  readonly message: string;
}

export interface BatchOutcome {
  readonly accepted: number;
  readonly rejected: readonly RejectedLine[];
  /** Includes rejected events that the answer did not list. */
  readonly rejectedCount: number;
}

const rejectedSchema = z.looseObject({ index: z.number(), code: z.string(), message: z.string() });
const answerSchema = z.looseObject({
  accepted: z.number(),
  rejected: z.array(rejectedSchema),
});

export interface SendContext {
  delay(ms: number): Promise<void>;
  /** Is told why, and for how long, the next attempt waits. */
  waits(reason: string, ms: number): void;
}

const attemptsMax = 8;
const firstWaitMs = 250;
const longestWaitMs = 10_000;

/** Statuses after which the same batch may succeed later. */
const retried: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * Sends one batch, and retries it if that can help. Every attempt has the same Idempotency-Key, so a batch whose answer
 * was lost is stored once. Throws a CliError if the service refuses the request or every attempt fails.
 */
export async function sendBatch(
  address: ServiceAddress,
  source: string,
  batch: LineBatch,
  idempotencyKey: string,
  { delay, waits }: SendContext,
): Promise<BatchOutcome> {
  let lastReason = '';
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const answer = await callService(address, `/api/logs?source=${encodeURIComponent(source)}`, {
      body: batch.body,
      headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': idempotencyKey },
    });
    if (answer.kind === 'success') return stored(batch, answer.body);
    if (answer.kind === 'problem') {
      const refused = wholeBatchRefused(batch, answer.problem);
      if (refused !== undefined) return refused;
      if (!retried.has(answer.status)) throw new CliError(renderProblem(answer.problem, undefined));
      lastReason = answer.problem.error.message;
    } else {
      const isUnsent = answer.kind === 'unreachable' && answer.isUnsent;
      lastReason = isUnsent
        ? `${address.url} cannot be reached: ${answer.reason}.`
        : `The connection to ${address.url} ended before the answer came: ${answer.reason}.`;
    }
    if (attempt === attemptsMax) break;
    const asked = answer.kind === 'problem' ? (answer.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(asked, Math.min(longestWaitMs, firstWaitMs * 2 ** (attempt - 1)));
    waits(lastReason, waitMs);
    await delay(waitMs);
  }
  throw new CliError(`Gave up after ${attemptsMax} attempts: ${lastReason}`);
}

function stored(batch: LineBatch, body: string): BatchOutcome {
  const answer = answerSchema.parse(JSON.parse(body));
  return {
    accepted: answer.accepted,
    rejected: answer.rejected.map((item) => rejectedLine(batch, item.index, item.code, item.message)),
    rejectedCount: batch.lineNumbers.length - answer.accepted,
  };
}

/** Reads the events of a batch in which every one was rejected, after which the next batch is sent; else undefined. */
function wholeBatchRefused(batch: LineBatch, problem: ProblemDocument): BatchOutcome | undefined {
  if (problem.code !== 'ingest.batch_invalid') return undefined;
  const rejected = (problem.errors ?? []).flatMap(({ index, rule, code, message }) =>
    index === undefined
      ? []
      : [
          rejectedLine(
            batch,
            index,
            code ?? (typeof rule === 'string' ? rule : problem.code),
            message ?? problem.error.message,
          ),
        ],
  );
  return { accepted: 0, rejected, rejectedCount: batch.lineNumbers.length };
}

function rejectedLine(batch: LineBatch, index: number, code: string, message: string): RejectedLine {
  return { lineNumber: batch.lineNumbers[index] ?? 0, code, message };
}
