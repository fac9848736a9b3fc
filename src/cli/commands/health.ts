import { Command } from 'commander';
import { reportedSpace } from '../../start/reportedSpace.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { reasonOf, serviceUrl, urlOptionText } from '../serviceClient.ts';

/** How long an answer may take. Short, because health checks are repeated. */
const answerMs = 5_000;

/** `logmill health`: checks whether a service is ready, for images without an HTTP client. Needs no token. */
export function healthCommand(context: CliContext): Command {
  return new Command('health')
    .description('check whether a service is ready; exit code 0: ready, 1: not ready, with the reason')
    .option('--url <url>', urlOptionText)
    .option('--json', 'print JSON')
    .action(async (options: { readonly url?: string; readonly json?: boolean }) => {
      const url = serviceUrl(options.url, context.environment);
      const { status, body } = await readyAnswer(url);
      if (status !== 200) throw new CliError(`${url} is not ready: /readyz answers ${status}.`);
      const { state, sentence } = reportedSpace(body);
      const problem = state === 'enough' ? {} : { problem: sentence };
      context.out(
        options.json === true
          ? `${JSON.stringify({ url, ready: true, ...problem }, undefined, 2)}\n`
          : `${url} is ready.${state === 'enough' ? '' : ` ${sentence}`}\n`,
      );
    });
}

async function readyAnswer(url: string): Promise<{ readonly status: number; readonly body: string }> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerMs), redirect: 'error' });
    return { status: response.status, body: await response.text() };
  } catch (cause) {
    throw new CliError(
      `${url} cannot be reached: ${reasonOf(cause)}. Give another address with --url or LOGMILL_URL.`,
      {
        cause,
      },
    );
  }
}
