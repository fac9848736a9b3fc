import { ServiceError } from '../../../core/errors.ts';
import type { CallFailure } from '../process/protocol.ts';

/**
 * A call that the engine process answered with a failure. Its message is for the log, which holds no
 * value of a caller or of a row; the engine's own words are in `failure.detail` alone.
 */
export class EngineFailure extends Error {
  readonly failure: CallFailure;

  constructor(failure: CallFailure) {
    super(loggedText(failure));
    this.name = 'EngineFailure';
    this.failure = failure;
  }
}

/**
 * What the log may say of a failure. Failures on data are about values, so only their sort is told.
 * Elsewhere the engine quotes what it speaks of, repeats the statement from `LINE` on, and writes
 * numbers as they are; from the first quote to the last, as a value can hold quotes itself. Failures of
 * files name paths and no values.
 */
function loggedText({ kind, detail, line, column }: CallFailure): string {
  if (kind === 'data' || kind === 'redaction') {
    const sort = /^[A-Za-z ]+ Error/.exec(detail)?.[0] ?? 'Error';
    return `${sort} on data${line === 0 ? '' : ` at line ${line}, column ${column}`}`;
  }
  if (detail.startsWith('IO Error:')) return detail;
  return detail
    .replace(/'.*'/s, "'…'")
    .replace(/".*"/s, '"…"')
    .replace(/`.*`/s, '`…`')
    .replace(/\n\s*LINE \d+:.*/s, '')
    .replace(/\d{4,}/g, '#');
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

/** Whether a failure is the device's: no room, a quota that is used up, or no writing at all. */
export function isNoSpace(error: unknown): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    if (each instanceof EngineFailure && each.failure.kind === 'disk') return true;
    const text = each instanceof EngineFailure ? each.failure.detail : each.message;
    if (deviceRefuses.test(text)) return true;
  }
  return false;
}

const deviceRefuses =
  /no space left on device|disk quota exceeded|database or disk is full|read-only file system|\b(?:ENOSPC|EDQUOT|EROFS)\b/i;

/** Whether the engine found no memory, which others may hold for a while. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof EngineFailure && error.failure.kind === 'memory';
}

const diskFullRetrySeconds = 15;

/** What a query is told that cannot put aside what it has to while it runs. */
export const noRoomError = (cause?: unknown): ServiceError =>
  new ServiceError(
    'service.disk_full',
    'The disk of the service has too little room for what the query puts aside while it runs. Have it read or sort less, or send it again later; whoever operates the service must make room.',
    { retryAfterSeconds: diskFullRetrySeconds, cause },
  );

export const memoryError = (cause?: unknown): ServiceError =>
  new ServiceError(
    'query.memory',
    'The query needed more memory than the engine may use and was ended. Narrow its time range, or read fewer columns.',
    { cause },
  );

/** What a caller is told about a failed statement. Engine text stays in `cause`, for the log. */
export function statementError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isNoSpace(error)) return noRoomError(error);
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
