import { ServiceError } from '../../../core/errors.ts';
import { ClickHouseFailure, withoutRepeatedValues } from '../connection/failure.ts';

const retrySeconds = 5;

/**
 * The error that a caller gets for a failed SELECT. Texts of ClickHouse stay in `cause`, for the log, without the values of
 * rows and of callers that they quote.
 */
export function fetchError(thrown: unknown, bound: () => ServiceError): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  if (!(thrown instanceof ClickHouseFailure)) return failed(thrown);
  const error = withoutRepeatedValues(thrown);
  switch (error.kind) {
    case 'bound':
      return bound();
    case 'memory':
      return new ServiceError(
        'query.memory',
        'The query was stopped because ClickHouse needed more memory for it than it may use. Narrow its time range, or read fewer columns.',
        { cause: error },
      );
    case 'deadline':
      return new ServiceError('query.timeout', 'The query was stopped because it reached its deadline.', {
        cause: error,
      });
    case 'unreachable':
    case 'busy':
    case 'cancelled':
    case 'damaged':
      return incompleteAnswer(error);
    default:
      return failed(error);
  }
}

export const incompleteAnswer = (cause: ClickHouseFailure): ServiceError =>
  new ServiceError(
    'engine.restarting',
    'ClickHouse, which holds the events, gave no complete answer. Try again in a few seconds.',
    { retryAfterSeconds: retrySeconds, cause },
  );

const failed = (cause: unknown): ServiceError =>
  new ServiceError('engine.failed', 'The query engine failed on this query. The log holds the cause.', { cause });

/** The reason of a signal, as a ServiceError. */
export function abortReason({ reason }: AbortSignal): ServiceError {
  if (reason instanceof ServiceError) return reason;
  return new ServiceError('query.cancelled', 'The query was ended before it finished.', { cause: reason });
}
