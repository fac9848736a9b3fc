import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { answerOf, serviceAddress, urlOptionText } from '../serviceClient.ts';

interface AddOptions {
  readonly projectField?: string;
  readonly description?: string;
  readonly alias?: readonly string[];
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill sources add NAME`: adds a source to a running service. */
export function sourcesAddCommand(context: CliContext): Command {
  return new Command('add')
    .description('add a source, which accepts events at once')
    .argument('<name>', 'name of the source: a-z, 0-9 and _')
    .option('--project-field <field>', 'field of an event that holds its project: project or metadata.<member>')
    .option('--description <text>', 'what the source contains')
    .option('--alias <names...>', 'other names that senders may use for the source')
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((name: string, options: AddOptions) => add(name, options, context));
}

async function add(name: string, options: AddOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const { projectField, description, alias } = options;
  const answer = await answerOf(address, '/api/sources', {
    headers: { 'content-type': 'application/json' },
    // JSON omits undefined members.
    body: JSON.stringify({ name, project_field: projectField, description, aliases: alias }),
  });
  context.out(options.json === true ? `${answer}\n` : `The source ${name} now accepts events.\n`);
}
