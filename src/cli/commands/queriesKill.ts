import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { runningQueryId } from '../runningQueries.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface KillOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill queries kill QUERY`: stops one query. */
export function queriesKillCommand(context: CliContext): Command {
  return new Command('kill')
    .description('stop a query; its caller gets the error query.killed')
    .argument(
      '<query>',
      'ID of the query, as "logmill queries list" shows it, or the name of its endpoint if it is the only query of it',
    )
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage, and observe for a name (default: LOGMILL_TOKEN)')
    .action((idOrName: string, options: KillOptions) => kill(idOrName, options, context));
}

async function kill(idOrName: string, options: KillOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const id = await runningQueryId(address, idOrName, context);
  const answer = await answerOf(address, `/api/queries/${encodeURIComponent(id)}`, { method: 'DELETE' });
  context.out(options.json === true ? `${answer}\n` : `Killed ${id}.\n`);
}
