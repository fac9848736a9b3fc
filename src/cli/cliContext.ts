import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';

/** Where a command reads and writes. Passed in, so that commands are tested without a process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  /** Results. */
  out(text: string): void;
  /** Messages. */
  err(text: string): void;
  /** Whether messages go to a terminal, where progress may be drawn. */
  readonly isTerminal: boolean;
  /** Columns of the terminal that results go to, or undefined where they go to a file or a pipe. */
  readonly columns: number | undefined;
  delay(ms: number): Promise<void>;
  /**
   * Has `lastWords` written as a message where a signal ends the process before the function that this returns is called.
   * The process ends with the exit code of the signal, 130 for Ctrl-C.
   */
  onInterrupt(lastWords: () => string): () => void;
  readonly clock: Clock;
  readonly randomness: Randomness;
}
