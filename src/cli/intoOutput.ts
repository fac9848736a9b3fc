import type { Command } from 'commander';
import { Option } from 'commander';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { intoFile } from './intoFile.ts';

/** Values of the flags that `addOutOption` declares. */
export interface OutOptions {
  readonly out?: string;
  /** The older name of the flag. */
  readonly output?: string;
}

/** Declares `-o, --out <file>`. It has the same name in each command, and `--output` means the same. */
export function addOutOption(command: Command, description: string): Command {
  return command
    .option('-o, --out <file>', description)
    .addOption(new Option('--output <file>', 'the same as --out').hideHelp());
}

/** The file that the flags name; `-` is standard output. Undefined without a flag. Throws a CliError if there are two. */
export function outOf({ out, output }: OutOptions): string | undefined {
  if (out !== undefined && output !== undefined) {
    throw new CliError('--out and --output mean the same. Give one of them.', { exitCode: 2 });
  }
  return out ?? output;
}

/** The file that the flags name; undefined for standard output. */
export function fileOf(options: OutOptions): string | undefined {
  const out = outOf(options);
  return out === '-' ? undefined : out;
}

type OutputContext = Pick<CliContext, 'out' | 'outBytes' | 'columns' | 'onInterrupt'>;

/**
 * Does work that writes bytes of the service into a file (`intoFile`), or, without one, to standard output: unchanged into a
 * file or a pipe, and with control characters escaped on a terminal.
 */
export async function intoOutput<T>(
  file: string | undefined,
  context: OutputContext,
  work: (write: (bytes: Uint8Array) => void) => Promise<T>,
): Promise<T> {
  if (file !== undefined) return await intoFile(file, context, work);
  if (context.columns === undefined) return await work((bytes) => context.outBytes(bytes));
  const shown = shownText(context);
  try {
    return await work(shown.write);
  } finally {
    shown.end();
  }
}

/** Writes an answer of the service to standard output, and ends its line. */
export async function showAnswer(body: string, context: OutputContext): Promise<void> {
  await intoOutput(undefined, context, async (write) => write(Buffer.from(`${body}\n`)));
}

/** Refuses what a terminal cannot show. */
export function refuseBinary(format: string, { columns }: Pick<CliContext, 'columns'>): void {
  if (columns === undefined) return;
  throw new CliError(
    `--format ${format} is not text, so a terminal cannot show it. Give a file with --out, or redirect the output.`,
    { exitCode: 2 },
  );
}

/** Shows a text that arrives in pieces of its bytes. */
function shownText({ out }: Pick<CliContext, 'out'>) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let held = '';
  return {
    write(bytes: Uint8Array): void {
      const text = held + decoder.decode(bytes, { stream: true });
      // A carriage return without its line feed would be escaped, so it waits for the next piece.
      held = text.endsWith('\r') ? '\r' : '';
      if (text.length > held.length) out(text.slice(0, text.length - held.length));
    },
    end(): void {
      const text = held + decoder.decode();
      if (text !== '') out(text);
    },
  };
}
