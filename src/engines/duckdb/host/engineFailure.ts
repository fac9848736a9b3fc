import { ServiceError } from '../../../core/errors.ts';
import { withoutValues } from '../../../core/withoutValues.ts';
import { UnreadableStorage } from '../../../ports/storageEngine.ts';
import type { CallFailure } from '../process/protocol.ts';

/**
 * A failure that the engine process answered. The message is for the log, and contains no value of a caller or of a
 * row; only `failure.detail` has the engine's own words.
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
 * The text for the log. Failures on data concern values, so only their kind is logged. Failures of files name paths and no
 * values.
 */
function loggedText({ kind, detail, line, column }: CallFailure): string {
  if (kind === 'data' || kind === 'redaction') {
    const sort = /^[A-Za-z ]+ Error/.exec(detail)?.[0] ?? 'Error';
    return `${sort} on data${line === 0 ? '' : ` at line ${line}, column ${column}`}`;
  }
  if (detail.startsWith('IO Error:')) return detail;
  return withoutValues(detail);
}

/** The engine process ended before it answered; it is unknown whether the call had an effect. */
export class EngineDied extends Error {
  constructor(reason: string) {
    super(`the engine process ended: ${reason}`);
    this.name = 'EngineDied';
  }
}

/** The end of the engine process that an error came from; undefined if it came from none. */
export function engineDeath(error: unknown): EngineDied | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) if (each instanceof EngineDied) return each;
  return undefined;
}

/** How many engine processes a start uses. One may be killed from outside; if several end, the next one would too. */
export const startAttemptsMax = 3;

/** The error of a start whose engine processes all ended. */
export function engineLostAtStart(death: EngineDied): UnreadableStorage {
  return new UnreadableStorage(
    `The service cannot start, because ${startAttemptsMax} engine processes ended one after another. The last time, ${death.message}. Nothing was lost. Check that the machine has enough memory and that nothing kills the processes of Logmill, and start it again.`,
    { cause: death },
  );
}

/** Whether the engine refuses a file until it is reopened, as after a failed write to its log. */
export function isFatal(error: unknown): boolean {
  return (
    error instanceof EngineFailure && /^(?:FATAL|INTERNAL) Error:|has been invalidated/i.test(error.failure.detail)
  );
}

/** Whether the device caused a failure: no space, an exhausted quota, or a read-only file system. */
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

/** Whether the engine ran out of memory, which other work may hold for a while. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof EngineFailure && error.failure.kind === 'memory';
}

const diskFullRetrySeconds = 15;

/** The error for a query that cannot spill what it must. */
export const noRoomError = (cause?: unknown): ServiceError =>
  new ServiceError(
    'service.disk_full',
    'The disk of the service has too little space for the temporary data of the query. Read or sort less, or try again after the operator of the service has freed some space.',
    { retryAfterSeconds: diskFullRetrySeconds, cause },
  );

export const memoryError = (cause?: unknown): ServiceError =>
  new ServiceError(
    'query.memory',
    'The query was stopped because it needed more memory than the engine may use. Narrow its time range, or read fewer columns.',
    { cause },
  );

/** The error that a caller gets for a failed statement. Engine text stays in `cause`, for the log. */
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
      'Expressions are nested too deeply. Split long chains of operators, or compute parts in WITH tables first.',
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
      'The query failed on a value in its data that is out of range or cannot be converted. Use safe_cast, or filter such rows out.',
      { cause: error },
    );
  }
  if (line === 0) return new ServiceError('sql.data', message, { errors: [{ message }], cause: error });
  const placed = `${message.replace(/\.$/, '')} (line ${line}, column ${column}).`;
  return new ServiceError('sql.data', placed, { errors: [{ line, column, message }], cause: error });
}
