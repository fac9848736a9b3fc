import yoctoSpinner from 'yocto-spinner';
import type { CliContext } from '../cliContext.ts';

export interface IngestCounts {
  readonly accepted: number;
  readonly rejected: number;
}

export interface IngestProgress {
  add(counts: IngestCounts): void;
  /** Writes a line without disturbing the bar. */
  say(line: string): void;
  /** Tells why, and how long, sending waits. Off a terminal, each reason once in a row. */
  readonly waits: (reason: string, ms: number) => void;
  counts(): IngestCounts;
  stop(): void;
}

const barChars = 24;

/**
 * Counts sent events, and draws a bar on a terminal, with the rate and the time left. `totalBytes` is undefined for a
 * pipe; `bytesRead` are those of the file so far.
 */
export function createIngestProgress(
  context: Pick<CliContext, 'clock' | 'err' | 'isTerminal'>,
  totalBytes: number | undefined,
  bytesRead: () => number,
): IngestProgress {
  let sum: IngestCounts = { accepted: 0, rejected: 0 };
  let lastReason = '';
  const startedMicros = context.clock.nowMicros();
  const spinner = context.isTerminal ? yoctoSpinner({ text: 'sending' }).start() : undefined;
  const say = (line: string) => {
    spinner?.clear();
    context.err(`${line}\n`);
  };
  return {
    add(counts) {
      sum = { accepted: sum.accepted + counts.accepted, rejected: sum.rejected + counts.rejected };
      lastReason = '';
      if (spinner === undefined) return;
      const seconds = (context.clock.nowMicros() - startedMicros) / 1e6;
      const read = bytesRead();
      spinner.text = `${bar(read, totalBytes)}${sum.accepted} stored, ${sum.rejected} rejected${pace(sum, seconds, read, totalBytes)}`;
    },
    say,
    waits(reason, ms) {
      const told = `waiting ${Math.ceil(ms / 1000)} s: ${reason}`;
      if (spinner !== undefined) spinner.text = told;
      else if (reason !== lastReason) say(told);
      lastReason = reason;
    },
    counts: () => sum,
    stop: () => {
      spinner?.stop();
    },
  };
}

/** Such as `, 12000 events/s, 3 min left`; empty for the first second. */
export function pace(
  { accepted, rejected }: IngestCounts,
  seconds: number,
  bytesRead: number,
  totalBytes: number | undefined,
): string {
  if (seconds < 1) return '';
  const rate = `, ${Math.round((accepted + rejected) / seconds)} events/s`;
  if (totalBytes === undefined || bytesRead === 0) return rate;
  const leftSeconds = Math.max(0, Math.ceil(((totalBytes - bytesRead) / bytesRead) * seconds));
  return `${rate}, ${leftSeconds < 120 ? `${leftSeconds} s` : `${Math.ceil(leftSeconds / 60)} min`} left`;
}

function bar(bytes: number, totalBytes: number | undefined): string {
  if (totalBytes === undefined || totalBytes === 0) return '';
  const share = Math.min(1, bytes / totalBytes);
  const filled = Math.round(share * barChars);
  return `${'█'.repeat(filled)}${'░'.repeat(barChars - filled)} ${Math.floor(share * 100)} %  `;
}
