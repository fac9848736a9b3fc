import { type ErrorCode, errorCatalogue } from './errorCatalogue.ts';

/** One entry of the `errors` array of a problem document (contract, section 1, "Errors"). */
export interface ErrorItem {
  readonly parameter?: string;
  readonly value?: string;
  readonly allowed?: readonly string[];
  readonly nearest?: string;
  readonly line?: number;
  readonly column?: number;
  readonly token?: string;
  readonly expected?: string;
  readonly rule?: string;
  /** Public IDs of tokens whose calls would break. */
  readonly callers?: readonly string[];
  /** Id of the endpoint that has the name. */
  readonly holder?: string;
  readonly index?: number;
  /** The code of a rejected event (ingest/rejection.ts). */
  readonly code?: string;
  readonly message?: string;
}

export interface ServiceErrorOptions {
  readonly errors?: readonly ErrorItem[];
  /** For the log only; never shown to the caller. */
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** Length of the data of which a range was asked for. */
  readonly lengthBytes?: number;
}

/** An error for a caller. Its message says what went wrong and what to do. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly ErrorItem[];
  readonly retryAfterSeconds: number | undefined;
  readonly lengthBytes: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.lengthBytes = options.lengthBytes;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** Returns a ServiceError unchanged. Wraps any other error as `internal`, with its cause for the log. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError('internal', 'The service failed unexpectedly. The log has the cause under this request ID.', {
    cause: error,
  });
}
