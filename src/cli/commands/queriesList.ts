import { Command } from 'commander';
import { z } from 'zod';
import { counted } from '../../core/counted.ts';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { plainTable } from '../plainTable.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface ListOptions {
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

const answerSchema = z.looseObject({
  queries: z.array(
    z.looseObject({
      id: z.string(),
      endpoint: z.looseObject({ name: z.string() }),
      token: z.string().nullable(),
      stage: z.string(),
      started_at: z.string(),
      elapsed_ms: z.number(),
    }),
  ),
  silent_nodes: z.array(z.string()).default([]),
});

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
  const answer: unknown = JSON.parse(await answerOf(address, '/api/queries', { method: 'GET' }));
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) {
    throw new CliError(
      `The answer of ${address.url} is not a list of queries. Check the address (--url or LOGMILL_URL).`,
    );
  }
  const { queries, silent_nodes: silent } = parsed.data;
  if (silent.length > 0) {
    context.err(
      `Queries of ${counted(silent.length, 'node')} are missing, because there was no answer: ${silent.join(', ')}.\n`,
    );
  }
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
