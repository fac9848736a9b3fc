import { Command } from 'commander';
import * as z from 'zod';
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
  sources: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string(),
      project_field: z.string(),
      aliases: z.array(z.string()),
      origin: z.string(),
    }),
  ),
});

/** `logmill sources list`: lists the sources that the token may see. */
export function sourcesListCommand(context: CliContext): Command {
  return new Command('list')
    .description('list the sources: name, project field, aliases, origin, description')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope ingest or manage (default: LOGMILL_TOKEN)')
    .action((options: ListOptions) => list(options, context));
}

async function list(options: ListOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const answer: unknown = JSON.parse(await answerOf(address, '/api/sources', { method: 'GET' }));
  const parsed = answerSchema.safeParse(answer);
  if (!parsed.success) {
    throw new CliError(
      `The answer of ${address.url} is not a list of sources. Check the address (--url or LOGMILL_URL).`,
    );
  }
  const { sources } = parsed.data;
  if (options.json === true) {
    context.out(`${JSON.stringify(sources, undefined, 2)}\n`);
    return;
  }
  const rows = sources.map(({ name, description, project_field, aliases, origin }) => [
    name,
    project_field,
    aliases.join(', '),
    origin,
    description,
  ]);
  context.out(plainTable(['name', 'project', 'aliases', 'origin', 'description'], rows));
}
