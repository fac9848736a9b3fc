import { ServiceError } from '../core/errors.ts';
import { type Habit, habits } from './habits.ts';

/** How much of the text on each side of an error is searched. */
const windowChars = 200;

/** Runs a step of the compiler. If it fails on syntax of another dialect, adds the GoogleSQL form to the error. */
export function withHabits<T>(text: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw error instanceof ServiceError ? hinted(error, text) : error;
  }
}

function hinted(error: ServiceError, text: string): ServiceError {
  const [item, ...others] = error.errors;
  if (item?.line === undefined || item.column === undefined || !hintedCodes.has(error.code)) return error;
  const offset = offsetOf(text, item.line, item.column);
  const around = [text.slice(Math.max(0, offset - windowChars), offset), text.slice(offset, offset + windowChars)];
  const [before = '', at = ''] = around;
  const hint = hintAt(before, at);
  if (hint === null) return error;
  // With a working replacement, a name that is only spelled alike does not help.
  const { nearest, ...rest } = item;
  const said = (sentence: string): string =>
    `${nearest === undefined ? sentence : sentence.replace(` Did you mean ${nearest}?`, '')} ${hint}`;
  const shown = { ...rest, ...(item.message !== undefined && { message: said(item.message) }) };
  return new ServiceError(error.code, said(error.message), { errors: [shown, ...others], cause: error.cause });
}

const hintedCodes: ReadonlySet<string> = new Set([
  'sql.syntax',
  'sql.type',
  'sql.unknown_name',
  'sql.unsupported',
  'sandbox.statement',
]);

/** The hint for the first habit that matches between `before` and `at`, or null. */
function hintAt(before: string, at: string): string | null {
  for (const habit of habits) {
    if (habit.before !== undefined && !habit.before.test(before)) continue;
    habit.at.lastIndex = 0;
    const match = habit.at.exec(at);
    if (match !== null) return `In GoogleSQL, write ${pasted(habit, match)}.`;
  }
  return null;
}

/** The replacement with the captured arguments, or the general form if one was not captured. */
function pasted({ paste, form }: Habit, match: RegExpExecArray): string {
  if (paste === undefined || match.slice(1).some((part) => part === undefined)) return form;
  return paste.replace(/\$(\d)/g, (_, index) => match[Number(index)] ?? '');
}

function offsetOf(text: string, line: number, column: number): number {
  let start = 0;
  for (let at = 1; at < line; at++) start = text.indexOf('\n', start) + 1;
  return start + column - 1;
}
