/** What a fault does to the requests that it meets. */
export type FaultKind =
  /** Waits `ms` before the statement runs. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Waits until all faults are switched off, before the statement runs. */
  | { readonly kind: 'held' }
  /** Sends `afterBytes` of the body, then closes the connection. */
  | { readonly kind: 'brokenOff'; readonly afterBytes: number }
  /** Sends `afterBytes` of the body, then an exception as a server does that fails late. */
  | { readonly kind: 'lateException'; readonly afterBytes: number; readonly code?: number; readonly name?: string }
  /** Changes a byte of the body: with compression its checksum, otherwise a byte in the middle. */
  | { readonly kind: 'corrupted' }
  /** Answers with an error of ClickHouse, such as 252 (too many parts) or 319 (unknown status of an insert), and does not run. */
  | { readonly kind: 'error'; readonly code: number; readonly name: string; readonly message?: string }
  /** Answers with this status and a text, as a proxy would, and does not run. */
  | { readonly kind: 'status'; readonly status: number }
  /** Runs the statement, then resets the connection instead of answering. */
  | { readonly kind: 'resetAfter' }
  /** Resets the connection before the statement runs. */
  | { readonly kind: 'resetBefore' }
  /** Runs the statement, then answers nothing until the client gives up. */
  | { readonly kind: 'silent' }
  /** Ends the process of ClickHouse while the statement runs. */
  | { readonly kind: 'crash' };

export type Fault = FaultKind & {
  /** Requests that it meets; all if absent. */
  readonly times?: number;
  /** Requests that it lets through first; none if absent. */
  readonly after?: number;
  /** Regular expression that the statement must match; any statement if absent. Requests that do not match are not counted. */
  readonly matching?: string;
};

/** The faults that are switched on. The first one that matches a request is used for it. */
export class Faults {
  readonly #all: { readonly fault: Fault; left: number; skip: number }[] = [];
  readonly #held: (() => void)[] = [];
  /** Requests that faults have met since they were last switched off. */
  met = 0;

  add(fault: Fault): void {
    this.#all.push({ fault, left: fault.times ?? Number.POSITIVE_INFINITY, skip: fault.after ?? 0 });
  }

  clear(): void {
    this.#all.length = 0;
    this.met = 0;
    for (const goOn of this.#held.splice(0)) goOn();
  }

  /** Requests that the faults have yet to meet; those without a number count as one. */
  get pending(): number {
    return this.#all.reduce((sum, { left }) => sum + (Number.isFinite(left) ? left : 1), 0);
  }

  /** Resolves when all faults are switched off. */
  async cleared(): Promise<void> {
    await new Promise<void>((resolve) => this.#held.push(resolve));
  }

  take(statement: string): Fault | null {
    for (const each of this.#all) {
      if (each.left <= 0 || !new RegExp(each.fault.matching ?? '', 'is').test(statement)) continue;
      if (each.skip > 0) {
        each.skip--;
        continue;
      }
      each.left--;
      this.met++;
      return each.fault;
    }
    return null;
  }
}
