import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { CliError } from '../cliError.ts';
import { patientAnswerOf } from '../patientAnswer.ts';
import { serviceAddress, urlOptionText } from '../serviceClient.ts';

interface AddOptions {
  readonly projectField?: string;
  readonly description?: string;
  readonly alias?: readonly string[];
  readonly table?: string;
  readonly timeColumn?: string;
  readonly projectColumn?: string;
  readonly messageColumn?: string;
  readonly idColumn?: string;
  readonly metadataColumn?: string;
  readonly json?: boolean;
  readonly url?: string;
  readonly token?: string;
}

/** `logmill sources add NAME`: adds a source to a running service. */
export function sourcesAddCommand(context: CliContext): Command {
  return new Command('add')
    .description('add a source, which accepts events at once, or one that reads a table of yours in ClickHouse')
    .argument('<name>', 'name of the source: a-z, 0-9 and _')
    .option('--project-field <field>', 'field of an event that holds its project: project or metadata.<member>')
    .option('--description <text>', 'what the source contains')
    .option('--alias <names...>', 'other names that senders may use for the source')
    .option('--table <database.table>', 'table in ClickHouse that others fill; the source is read only')
    .option('--time-column <column>', 'column of the table with the time of an event')
    .option('--project-column <column>', 'column of the table with the project of an event')
    .option('--message-column <column>', 'column of the table with the message of an event')
    .option('--id-column <column>', 'column of the table with the ID of an event (default: a hash)')
    .option(
      '--metadata-column <column>',
      'column of the table with JSON objects (default: every other column is a member)',
    )
    .option('--json', 'print JSON')
    .option('--url <url>', urlOptionText)
    .option('--token <token>', 'token with the scope manage (default: LOGMILL_TOKEN)')
    .action((name: string, options: AddOptions) => add(name, options, context));
}

async function add(name: string, options: AddOptions, context: CliContext): Promise<void> {
  const address = serviceAddress(options, context.environment);
  const { projectField, description, alias } = options;
  const table = tableOf(options);
  const request = {
    headers: { 'content-type': 'application/json' },
    // JSON omits undefined members.
    body: JSON.stringify({ name, project_field: projectField, description, aliases: alias, table }),
  };
  // A source is refused for a moment while files wait to be sealed.
  const { body: answer } = await patientAnswerOf(address, '/api/sources', request, context, { changes: true });
  const done = table === undefined ? 'now accepts events' : `now reads ${table.name}`;
  context.out(options.json === true ? `${answer}\n` : `The source ${name} ${done}.\n`);
}

const columnOptions = ['timeColumn', 'projectColumn', 'messageColumn', 'idColumn', 'metadataColumn'] as const;

/** The table in the form of the API; undefined if the source has none. Throws CliError if options do not fit together. */
function tableOf(options: AddOptions) {
  const { table, timeColumn, projectColumn, messageColumn, idColumn, metadataColumn } = options;
  if (table === undefined) {
    const given = columnOptions.find((name) => options[name] !== undefined);
    if (given === undefined) return undefined;
    throw new CliError(`--${given.replace('Column', '-column')} needs --table.`);
  }
  if (timeColumn === undefined || projectColumn === undefined || messageColumn === undefined) {
    throw new CliError('--table needs --time-column, --project-column and --message-column.');
  }
  return {
    name: table,
    time: timeColumn,
    project: projectColumn,
    message: messageColumn,
    id: idColumn,
    metadata: metadataColumn,
  };
}
