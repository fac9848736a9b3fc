import { ServiceError } from '../core/errors.ts';
import type { Rejection } from './rejection.ts';

/** The acknowledgement of a batch (streams.md, row "answer"). */
export interface IngestAnswer {
  readonly message: 'Logged!';
  readonly accepted: number;
  /** The first rejected events, up to `rejectionsListedMax`. */
  readonly rejected: readonly Rejection[];
  /** The number of rejected events, if `rejected` does not list all. */
  readonly rejected_total?: number;
  /** A remark about a request that has no errors. */
  readonly warning?: string;
}

/** Maximum number of rejections that an answer or a problem lists; the others are only counted. */
export const rejectionsListedMax = 1000;

export function ingestAnswer(
  accepted: number,
  rejections: readonly Rejection[],
  listedMax = rejectionsListedMax,
): IngestAnswer {
  const answer = { message: 'Logged!', accepted, rejected: rejections.slice(0, listedMax) } as const;
  return rejections.length > listedMax ? { ...answer, rejected_total: rejections.length } : answer;
}

/** The answer to a batch whose parts were answered on their own. */
export function mergedAnswer(parts: readonly IngestAnswer[]): IngestAnswer {
  const accepted = parts.reduce((sum, part) => sum + part.accepted, 0);
  const rejections = parts.flatMap(({ rejected }) => rejected).sort((a, b) => a.index - b.index);
  const total = parts.reduce((sum, part) => sum + (part.rejected_total ?? part.rejected.length), 0);
  const rejected = rejections.slice(0, rejectionsListedMax);
  const answer = { message: 'Logged!', accepted, rejected } as const;
  return total > rejected.length ? { ...answer, rejected_total: total } : answer;
}

/** The error for a batch that is refused because of its bad events. */
export function refusedBatch(acceptable: number, rejections: readonly Rejection[]): ServiceError {
  const [first] = rejections;
  const total = acceptable + rejections.length;
  const why =
    acceptable === 0
      ? `None of the ${total} events could be stored`
      : `${rejections.length} of ${total} events could not be stored, which rejects the whole batch because the call was strict`;
  const listed = rejections.slice(0, rejectionsListedMax);
  const cut = listed.length < rejections.length ? ` The first ${listed.length} bad events are listed.` : '';
  return new ServiceError(
    'ingest.batch_invalid',
    `${total === 1 ? 'The event could not be stored' : why}; nothing was stored. Event ${first?.index ?? 0}: ${first?.message ?? ''}${cut}`,
    { errors: listed },
  );
}
