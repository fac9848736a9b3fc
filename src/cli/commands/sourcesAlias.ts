import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { answerOf, serviceAddress } from '../serviceClient.ts';

interface AliasOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill sources alias NAME [ALIASES…]`: sets the other names of a source. */
export function sourcesAliasCommand(context: CliContext): Command {
  return new Command('alias')
    .description('set the other names under which events of a source may come; none removes them')
    .argument('<name>', 'name of the source')
    .argument('[aliases...]', 'its other names from now on, besides those of the configuration')
    .option('--json', 'print JSON')
    .option('--url <url>', 'address of the service (default: LOGMILL_URL, else http://127.0.0.1:4000)')
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
  const text = all.length === 0 ? 'no other names' : `the other names ${all.join(', ')}`;
  context.out(options.json === true ? `${answer}\n` : `The source ${name} has ${text}.\n`);
}
