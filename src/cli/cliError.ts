export interface CliErrorOptions {
  readonly exitCode?: number;
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A command that failed for a reason its user can mend. The message is shown as it is. */
export class CliError extends Error {
  readonly exitCode: number;
  /** What programs are told besides, with --json. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CliError';
    this.exitCode = options.exitCode ?? 1;
    this.details = options.details ?? {};
  }
}
