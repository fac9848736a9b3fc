import type { Clock } from '../core/clock.ts';
import type { Randomness } from '../core/ids.ts';

/** How a terminal shows a text. */
export type TextStyle = 'dim' | 'cyan' | 'green' | 'yellow';

/** What a command reads and writes. Passed in, so that tests run commands without a process. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream;
  /** Results as texts, with control characters escaped. Terminals show them in the style (`colours.ts`). */
  out(text: string, style?: TextStyle): void;
  /** Results as bytes, unchanged. `intoOutput` knows when a terminal needs them escaped. */
  outBytes(bytes: Uint8Array): void;
  /** Messages. */
  err(text: string): void;
  /** Replaces the line that shows progress on a terminal; an empty text removes it. Does nothing elsewhere. */
  progress(text: string): void;
  /** Whether messages go to a terminal, where progress may be drawn. */
  readonly isTerminal: boolean;
  /** Whether a person at a terminal can be asked: reads from it, and sees messages there. */
  readonly canAsk: boolean;
  /** Columns of the terminal that results go to, or undefined for a file or a pipe. */
  readonly columns: number | undefined;
  delay(ms: number): Promise<void>;
  /**
   * Writes `lastWords` as a message if a signal ends the process; the returned function cancels this. The exit code is
   * that of the signal, such as 130 for Ctrl-C; or 0 for Ctrl-C if that is how the command is meant to end.
   */
  onInterrupt(lastWords: () => string, isItsEnd?: boolean): () => void;
  /** Yields each time something in the folder may have changed, and ends only if it is stopped. */
  changesOf(folder: string): AsyncIterable<unknown>;
  readonly clock: Clock;
  readonly randomness: Randomness;
}
