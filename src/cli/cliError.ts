export interface CliErrorOptions {
  readonly exitCode?: number;
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A failure that the user can fix. The message is shown unchanged. */
export class CliError extends Error {
  readonly exitCode: number;
  /** Members of the problem document that `--json` prints. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? 1;
    this.details = options.details ?? {};
  }
}

/** The same error with a sentence more about what to do. */
export function withAdvice(error: CliError, advice: string, details: CliErrorOptions['details'] = {}): CliError {
  return new CliError(`${error.message}\n${advice}`, {
    exitCode: error.exitCode,
    cause: error,
    details: { ...error.details, ...details },
  });
}
