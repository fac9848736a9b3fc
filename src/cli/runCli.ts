import { CommanderError } from 'commander';
import { ServiceError } from '../core/errors.ts';
import { printable, printableLines } from '../core/printable.ts';
import { systemReason } from '../core/systemReason.ts';
import { SettingsError, StartError } from '../start/startError.ts';
import { asDamagedStore, DamagedStore } from '../stores/sqlite/damagedStore.ts';
import { NewerStore } from '../stores/sqlite/newerStore.ts';
import { isStoreFull } from '../stores/sqlite/storeError.ts';
import type { CliContext, TextStyle } from './cliContext.ts';
import { CliError } from './cliError.ts';
import { styled } from './colours.ts';
import { createProgram } from './program.ts';
import { unknownCommand } from './unknownCommand.ts';

/**
 * Runs one command. Resolves to its exit code: 0 success, 1 refused or failed, 2 wrong usage. `serve` resolves once it
 * is ready. Errors that the user can fix, including file errors of the system, are printed; any other error is a defect
 * and rejects.
 */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const context = forTerminal(given);
  const isJson = args.includes('--json');
  const refuse = (message: string, exitCode: number, details: object = {}) => {
    context.err(isJson ? `${JSON.stringify(errorView(message, exitCode, details), undefined, 2)}\n` : `${message}\n`);
    return exitCode;
  };
  const program = await createProgram(context, args[0]);
  for (const command of [program, ...allBelow(program.commands)]) {
    command.exitOverride().configureOutput({
      writeOut: context.out,
      writeErr: context.err,
      outputError: (text, write) => {
        if (!isJson && !unknownWord.test(text)) write(text);
      },
    });
  }
  try {
    await program.parseAsync([...args], { from: 'user' });
    return 0;
  } catch (error) {
    // Help and version end this way too, with exit code 0.
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      const word = unknownWord.exec(error.message)?.[1];
      if (word !== undefined) {
        const text = unknownCommand(await createProgram(context), args, word);
        return refuse(isJson ? text.replace(/^error: /, '') : text, 2);
      }
      // Commander has already written the message.
      return isJson ? refuse(error.message.replace(/^error: /, ''), 2) : 2;
    }
    // Any query can meet a damaged page of the store.
    const failure = asDamagedStore(error, 'store.sqlite of the data folder');
    if (isForItsUser(failure)) {
      return refuse(storeFullMessage(failure.cause) ?? failure.message, exitCodeOf(failure), detailsOf(failure));
    }
    const refusal = fileRefusal(error);
    if (refusal === null) throw error;
    return refuse(refusal, 1);
  }
}

/** What Commander says of a word that is no command. It knows only the other commands of the same group. */
const unknownWord = /^error: unknown command '([\s\S]*?)'(?:\n|$)/;

/** A failure as a problem document (contract, section 1, "Errors"), with the exit code. Members that are not known are absent. */
function errorView(message: string, exitCode: number, details: object): object {
  return { detail: message, error: { message }, ...details, exit_code: exitCode };
}

/**
 * Escapes control characters in all texts, because names, rows and errors can contain what others sent. The line of progress
 * gives way to any other output.
 */
function forTerminal(context: CliContext): CliContext {
  let shown = '';
  const progress = (text: string) => {
    if (!context.isTerminal || text === shown) return;
    shown = text;
    context.progress(printable(text));
  };
  const alone =
    <Args extends readonly unknown[]>(write: (...args: Args) => void) =>
    (...args: Args) => {
      progress('');
      write(...args);
    };
  return {
    ...context,
    out: alone((text: string, style?: TextStyle) => context.out(styled(printableLines(text), style, context))),
    outBytes: alone((bytes: Uint8Array) => context.outBytes(bytes)),
    err: alone((text: string) => context.err(printableLines(text))),
    progress,
    onInterrupt: (lastWords, isItsEnd) =>
      context.onInterrupt(() => {
        progress('');
        return printableLines(lastWords());
      }, isItsEnd),
  };
}

const forItsUser = [CliError, StartError, ServiceError, DamagedStore, NewerStore];

function isForItsUser(error: unknown): error is Error {
  return forItsUser.some((kind) => error instanceof kind);
}

/** A ServiceError with 400 or 422 means wrong usage here: errors of HTTP calls arrive as CliErrors. */
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

/** Describes a system error about a file or folder, such as a full disk; null for any other error. */
function fileRefusal(error: unknown): string | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  const full = storeFullMessage(error);
  if (full !== null) return full;
  if (!('syscall' in error)) return null;
  const path = 'path' in error ? String(error.path) : null;
  if (path === null && error.code !== 'ENOSPC') return null;
  return `The system call ${String(error.syscall)} failed${path === null ? '' : ` for ${path}`}: ${systemReason(error)}.`;
}

/** For the operator, who reads it in a terminal, unlike the callers of a service whose disk is full. Null for any other error. */
function storeFullMessage(error: unknown): string | null {
  if (!(isStoreFull(error) && error instanceof Error && 'code' in error)) return null;
  return `The disk of the data folder is full (${String(error.code)}). Free some space and run the command again.`;
}

function allBelow<T extends { readonly commands: readonly T[] }>(commands: readonly T[]): readonly T[] {
  return commands.flatMap((command) => [command, ...allBelow(command.commands)]);
}
