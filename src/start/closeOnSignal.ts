import closeWithGrace from 'close-with-grace';

/** Signals by which a terminal, a service manager or a container platform asks a process to stop. */
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Ctrl-C on a terminal reaches the service twice: directly, and through npm, which passes signals on. A signal repeated
 * within this time counts as the same one.
 */
const sameSignalMs = 1000;

export interface CloseOptions {
  /** Milliseconds after which the process ends even if `close` has not. */
  readonly deadlineMs: number;
  /** Closes everything; `error` is the unexpected error that is the reason, if any. */
  close(reason: string, error: unknown): Promise<void>;
}

export interface Ending {
  /** Closes and ends the process with exit code 1, so that its supervisor restarts it. */
  fail(reason: string): void;
}

/** Closes and ends this process on a signal or an unexpected error; a second signal ends it at once. */
export function closeOnSignal({ deadlineMs, close }: CloseOptions): Ending {
  let reason = 'an unexpected error';
  let hasFailed = false;
  const grace = closeWithGrace(
    // Signals are handled below, because repeated ones are special.
    { delay: deadlineMs, logger: console, skip: [...allSignals] },
    async ({ err }) => {
      await close(reason, err);
      if (hasFailed) process.exit(1);
    },
  );
  let firstAtMs: number | undefined;
  for (const signal of signals) {
    process.on(signal, () => {
      const nowMs = performance.now();
      if (firstAtMs === undefined) {
        firstAtMs = nowMs;
        reason = signal;
        grace.close();
      } else if (nowMs - firstAtMs > sameSignalMs) {
        process.exit(1);
      }
    });
  }
  return {
    fail: (why) => {
      // A signal has already started this.
      if (firstAtMs !== undefined) return;
      firstAtMs = performance.now();
      reason = why;
      hasFailed = true;
      grace.close();
    },
  };
}

/** Every signal that close-with-grace would handle itself. */
const allSignals = [...signals, 'SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGUSR2'] as const;
