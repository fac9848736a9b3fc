import type { RejectionCode } from './rejection.ts';

/** A log record that is rejected while others of its request are accepted. The message tells the sender why. */
export class BadRecord extends Error {
  readonly code: RejectionCode;

  constructor(message: string, code: RejectionCode = 'event.malformed') {
    super(message);
    this.code = code;
  }
}
