import { createInterface } from 'node:readline';
import type { CliContext } from './cliContext.ts';
import { CliError } from './cliError.ts';

export interface Question {
  readonly text: string;
  /** The answer of an empty line; without it, an empty line is asked again. */
  readonly byDefault?: string;
  /** Says why an answer is not accepted; null if it is. */
  readonly refuse?: (answer: string) => string | null;
}

/** Asks for one line each time. Throws a CliError if the input ends. */
export type AskUser = (question: Question) => Promise<string>;

/** Asks questions as messages and reads the answers from standard input while `work` runs. */
export async function askingUser<T>(
  context: Pick<CliContext, 'stdin' | 'err'>,
  work: (ask: AskUser) => Promise<T>,
): Promise<T> {
  const input = createInterface({ input: context.stdin, terminal: false });
  const lines = input[Symbol.asyncIterator]();
  try {
    return await work(async ({ text, byDefault, refuse = () => null }) => {
      for (;;) {
        context.err(`${text}${byDefault === undefined ? '' : ` [${byDefault}]`}: `);
        const line = await lines.next();
        if (line.done === true) throw new CliError('\nThe input ended before the last answer.', { exitCode: 2 });
        const answer = line.value.trim() === '' ? byDefault : line.value.trim();
        const refusal = answer === undefined ? 'An answer is needed.' : refuse(answer);
        if (answer !== undefined && refusal === null) return answer;
        context.err(`${refusal ?? ''}\n`);
      }
    });
  } finally {
    input.close();
  }
}
