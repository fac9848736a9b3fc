import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface AliasOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill sources alias NAME [ALIASES…]`: sets the aliases of a source. */
export function sourcesAliasCommand(context: CliContext): Command {
  return new Command('alias')
    .description('set the aliases of a source, the other names that senders may use for it; give none to remove them')
    .argument('<name>', 'name of the source')
    .argument('[aliases...]', 'the new aliases, in addition to those of the configuration')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((name: string, aliases: readonly string[], options: AliasOptions) =>
      alias(name, aliases, options, context),
    );
}

async function alias(
  name: string,
  aliases: readonly string[],
  options: AliasOptions,
  context: CliContext,
): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const answer = await answerOf(address, `/api/sources/${encodeURIComponent(name)}/aliases`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ aliases }),
  });
  const { aliases: all } = JSON.parse(answer) as { readonly aliases: readonly string[] };
  const text = all.length === 0 ? 'no aliases' : `the ${all.length === 1 ? 'alias' : 'aliases'} ${all.join(', ')}`;
  context.out(options.json === true ? `${answer}\n` : `The source ${name} has ${text}.\n`);
}
