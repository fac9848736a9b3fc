/**
 * A reason why the service cannot start that the person who starts it can mend. Its message is
 * shown as it is, without a stack trace.
 */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartError';
  }
}

/** Settings that cannot be used as they are written: a wrong call, which another start does not mend. */
export class SettingsError extends StartError {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SettingsError';
  }
}
