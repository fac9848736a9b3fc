import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { plainTable } from '../plainTable.ts';
import { listRunning } from '../runningQueries.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';

interface ListOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill queries list`: lists waiting and running queries. */
export function queriesListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list waiting and running queries: endpoint, token, stage, time')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope observe (default: LOGMILL_TOKEN)')
    .action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const queries = await listRunning(address, context);
  if (options.json === true) {
    context.out(`${JSON.stringify(queries, undefined, 2)}\n`);
    return;
  }
  const rows = queries.map(({ id, endpoint, token, stage, started_at, elapsed_ms }) => [
    id,
    endpoint.name,
    token ?? '(refresh)',
    stage,
    started_at,
    `${(elapsed_ms / 1000).toFixed(1)} s`,
  ]);
  context.out(plainTable(['id', 'endpoint', 'token', 'stage', 'started', 'elapsed'], rows));
}
