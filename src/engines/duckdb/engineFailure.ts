import { ServiceError } from '../../core/errors.ts';
import type { CallFailure } from './process/protocol.ts';

/** A call that the engine process answered with a failure. */
export class EngineFailure extends Error {
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(failure.detail);
    this.name = 'EngineFailure';
    this.failure = failure;
  }
}

/** The engine process ended before it answered; whether the call had an effect is not known. */
export class EngineDied extends Error {
  constructor(reason: string) {
    super(`the engine process ended: ${reason}`);
    this.name = 'EngineDied';
  }
}

/** Whether the engine has given up a file until it is opened anew, as after a failed write to its log. */
export function isFatal(error: unknown): boolean {
  return (
    error instanceof EngineFailure && /^(?:FATAL|INTERNAL) Error:|has been invalidated/i.test(error.failure.detail)
  );
}

export const memoryError = (cause?: unknown): ServiceError =>
  new ServiceError(
    'query.memory',
    'The query needed more memory than the engine may use and was ended. Narrow its time range, or read fewer columns.',
    { cause },
  );

/** What a caller is told about a failed statement. Engine text stays in `cause`, for the log. */
export function statementError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof EngineFailure)) {
    return new ServiceError('engine.failed', 'The query engine failed on this query. The log holds the cause.', {
      cause: error,
    });
  }
  const { kind, message, line, column } = error.failure;
  if (kind === 'memory') return memoryError(error);
  if (kind === 'depth') {
    return new ServiceError(
      'sql.too_complex',
      'Expressions stand too deep inside one another; split long chains of operators, or compute parts of them in WITH tables first.',
      { cause: error },
    );
  }
  if (kind === 'redaction' && message !== null)
    return new ServiceError('redaction.rows_max', message, { cause: error });
  if (kind !== 'data') {
    return new ServiceError('engine.failed', 'The query engine failed on this query. The log holds the cause.', {
      cause: error,
    });
  }
  if (message === null) {
    return new ServiceError(
      'sql.data',
      'The query failed on a value of its data: one that is out of range or does not convert. Use safe_cast, or filter such rows out.',
      { cause: error },
    );
  }
  if (line === 0) return new ServiceError('sql.data', message, { errors: [{ message }], cause: error });
  const placed = `${message.replace(/\.$/, '')} (line ${line}, column ${column}).`;
  return new ServiceError('sql.data', placed, { errors: [{ line, column, message }], cause: error });
}
