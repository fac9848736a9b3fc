/**
 * A reason why the service cannot start, which the operator can solve. The message is shown as it is, without a stack
 * trace.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** Settings that cannot be used as written. Another start fails in the same way. */
export class SettingsError extends StartError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SettingsError';
  }
}
