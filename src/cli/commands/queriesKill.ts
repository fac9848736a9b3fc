import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface KillOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill queries kill ID`: stops one query. */
export function queriesKillCommand(context: CliContext): Command {
  return new Command('kill')
    .description('stop a query; its caller gets the error query.killed')
    .argument('<id>', 'ID of the query, as shown by "logmill queries list"')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((id: string, options: KillOptions) => kill(id, options, context));
}

async function kill(id: string, options: KillOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const answer = await answerOf(address, `/api/queries/${encodeURIComponent(id)}`, { method: 'DELETE' });
  context.out(options.json === true ? `${answer}\n` : `Killed ${id}.\n`);
}
