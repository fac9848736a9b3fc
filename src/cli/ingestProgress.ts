import yoctoSpinner from 'yocto-spinner';
import type { CliContext } from './cliContext.ts';

export interface IngestCounts {
  readonly accepted: number;
  readonly rejected: number;
  readonly bytes: number;
}

export interface IngestProgress {
  add(counts: IngestCounts): void;
  /** Writes a line without disturbing the bar. */
  say(line: string): void;
  counts(): IngestCounts;
  stop(): void;
}

const barChars = 24;

/** Counts sent events, and draws a bar on a terminal. `totalBytes` is undefined for a pipe. */
export function createIngestProgress(context: CliContext, totalBytes: number | undefined): IngestProgress {
  let sum: IngestCounts = { accepted: 0, rejected: 0, bytes: 0 };
  const spinner = context.isTerminal ? yoctoSpinner({ text: 'sending' }).start() : undefined;
  return {
    add(counts) {
      sum = {
        accepted: sum.accepted + counts.accepted,
        rejected: sum.rejected + counts.rejected,
        bytes: sum.bytes + counts.bytes,
      };
      if (spinner !== undefined)
        spinner.text = `${bar(sum.bytes, totalBytes)}${sum.accepted} stored, ${sum.rejected} rejected`;
    },
    say(line) {
      spinner?.clear();
      context.err(`${line}\n`);
    },
    counts: () => sum,
    stop: () => {
      spinner?.stop();
    },
  };
}

function bar(bytes: number, totalBytes: number | undefined): string {
  if (totalBytes === undefined || totalBytes === 0) return '';
  const share = Math.min(1, bytes / totalBytes);
  const filled = Math.round(share * barChars);
  return `${'█'.repeat(filled)}${'░'.repeat(barChars - filled)} ${Math.floor(share * 100)} %  `;
}
