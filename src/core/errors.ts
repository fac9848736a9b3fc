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
  /** Public ids of tokens whose calls would break. */
  readonly callers?: readonly string[];
  /** Id of the endpoint that has the name. */
  readonly holder?: string;
  readonly index?: number;
  /** Of one event of a batch (ingest/rejection.ts). */
  readonly code?: string;
  readonly message?: string;
}

export interface ServiceErrorOptions {
  readonly errors?: readonly ErrorItem[];
  /** For the log only; never shown to the caller. */
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
}

/** The one error that reaches a caller. Its message is a sentence that a person can act on. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly errors: readonly ErrorItem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** The error as it is, or `internal` with the unknown cause kept for the log. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  return new ServiceError(
    'internal',
    'The service failed unexpectedly. The log holds the cause under this request id.',
    {
      cause: error,
    },
  );
}
