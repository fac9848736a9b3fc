const prefix = 'not pushed: ';

/** A part of a query has no expression in ClickHouse that is proved equal. */
export class NotPushed extends Error {
  /** Begins with `not pushed: `. Names constructs and functions, never values. */
  readonly reason: string;

  constructor(what: string) {
    super(what.startsWith(prefix) ? what : `${prefix}${what}`);
    this.reason = this.message;
  }
}

export function notPushed(what: string): never {
  throw new NotPushed(what);
}

/** The result, or the reason why there is none. */
export function attempted<T>(work: () => T): { readonly value: T } | { readonly reason: string } {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof NotPushed) return { reason: error.reason };
    throw error;
  }
}
