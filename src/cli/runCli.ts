import { CommanderError } from 'commander';
import { ServiceError } from '../core/errors.ts';
import { printableLines } from '../core/printable.ts';
import { SettingsError, StartError } from '../start/startError.ts';
import { asDamagedStore, DamagedStore } from '../stores/sqlite/damagedStore.ts';
import { NewerStore } from '../stores/sqlite/newerStore.ts';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { createProgram } from './program.ts';

/**
 * Runs one command. Resolves to its exit code: 0 done, 1 refused or failed, 2 called wrongly. A
 * command that goes on (serve) resolves when it is ready. What its user can mend is told in a
 * sentence, and so is what the system refuses of a file; any other error is a defect and rejects.
 */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const printed = { anything: false };
  const context = forTerminal({
    ...given,
    out: (text) => {
      printed.anything = true;
      given.out(text);
    },
  });
  // Whoever asked for JSON gets some where a command fails, too.
  const refuse = (message: string, exitCode: number, details: object = {}) => {
    if (args.includes('--json') && !printed.anything) {
      context.out(`${JSON.stringify({ error: { message, exit_code: exitCode, ...details } }, undefined, 2)}\n`);
    }
    return exitCode;
  };
  const program = await createProgram(context, args[0]);
  for (const command of [program, ...allBelow(program.commands)]) {
    command.exitOverride().configureOutput({ writeOut: context.out, writeErr: context.err });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Help and version end this way too, with exit code 0; commander has written the rest.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : refuse(error.message.replace(/^error: /, ''), 2);
    }
    // A damaged page may be met by any query.
    const told = asDamagedStore(error, 'store.sqlite of the data folder');
    if (isForItsUser(told)) {
      context.err(`${told.message}\n`);
      return refuse(told.message, exitCodeOf(told), detailsOf(told));
    }
    const refusal = fileRefusal(error);
    if (refusal === null) throw error;
    context.err(`${refusal}\n`);
    return refuse(refusal, 1);
  }
}

/** The context that writes nothing which a terminal obeys: names, rows and errors hold what others sent. */
function forTerminal(context: CliContext): CliContext {
  return {
    ...context,
    out: (text) => context.out(printableLines(text)),
    err: (text) => context.err(printableLines(text)),
    onInterrupt: (lastWords) => context.onInterrupt(() => printableLines(lastWords())),
  };
}

const forItsUser = [CliError, StartError, ServiceError, DamagedStore, NewerStore];

function isForItsUser(error: unknown): error is Error {
  return forItsUser.some((kind) => error instanceof kind);
}

/** The commands' own calls over HTTP end as a CliError: one of 400 or 422 that is met here is about what the command was given. */
function exitCodeOf(error: Error): number {
  if (error instanceof CliError) return error.exitCode;
  return error instanceof SettingsError ||
    (error instanceof ServiceError && (error.status === 400 || error.status === 422))
    ? 2
    : 1;
}

function detailsOf(error: Error): object {
  if (error instanceof CliError) return error.details;
  return error instanceof ServiceError ? { code: error.code, status: error.status, errors: error.errors } : {};
}

/** What the system said of a file or folder, such as that its disk is full; null for any other error. */
function fileRefusal(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  if (error.code === 'SQLITE_FULL') return 'The disk of the data folder is full; make room there (SQLITE_FULL).';
  if (!('syscall' in error)) return null;
  const path = 'path' in error ? String(error.path) : null;
  if (path === null && error.code !== 'ENOSPC') return null;
  // Node writes "ENOSPC: no space left on device, write".
  const [, reason = error.message] = /^\w+: ([^,]+)/.exec(error.message) ?? [];
  return `The system refused ${String(error.syscall)}${path === null ? '' : ` of ${path}`}: ${reason} (${String(error.code)}).`;
}

function allBelow<T extends { readonly commands: readonly T[] }>(commands: readonly T[]): readonly T[] {
  return commands.flatMap((command) => [command, ...allBelow(command.commands)]);
}
