import { Command } from 'commander';
import { counted } from '../../core/counted.ts';
import { parseJson } from '../../core/losslessJson.ts';
import type { CliContext } from '../cliContext.ts';
import { endpointId } from '../managedEndpoints.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface PurgeOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill endpoints purge ENDPOINT`: drops the cached results of one endpoint. */
export function endpointsPurgeCommand(context: CliContext): Command {
  return new Command('purge')
    .description('drop the cached results of an endpoint')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((endpoint: string, options: PurgeOptions) => purge(endpoint, options, context));
}

async function purge(endpoint: string, options: PurgeOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const id = await endpointId(address, endpoint);
  const answer = await answerOf(address, `/api/endpoints/${encodeURIComponent(id)}/purge`, {});
  if (options.json === true) {
    context.out(`${answer}\n`);
    return;
  }
  const { purged } = parseJson(answer) as { readonly purged: number | null };
  // Null for a token that is restricted to projects, because the count would reveal others.
  context.out(`Dropped ${purged === null ? 'the cached results' : counted(purged, 'cached result')}.\n`);
}
