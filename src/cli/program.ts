import { Command } from 'commander';
import { packageVersion } from '../start/packageInfo.ts';
import type { CliContext } from './cliContext.ts';
import { clientCommand } from './commands/client.ts';
import { configCommand } from './commands/configPrint.ts';
import { endpointsCommand } from './commands/endpoints.ts';
import { ingestCommand } from './commands/ingest.ts';
import { queriesCommand } from './commands/queries.ts';
import { queryCommand } from './commands/query.ts';
import { serveCommand } from './commands/serve.ts';
import { sourcesCommand } from './commands/sources.ts';
import { testCommand } from './commands/testEndpoints.ts';
import { tokensCommand } from './commands/tokens.ts';

/** The command `logmill` with all its subcommands. */
export function createProgram(context: CliContext): Command {
  return new Command('logmill')
    .description('Stored, named, parameterised GoogleSQL queries over log data, as an HTTP service.')
    .version(packageVersion(), '--version', 'print the version')
    .helpOption('--help', 'print help')
    .showSuggestionAfterError()
    .addCommand(serveCommand(context))
    .addCommand(ingestCommand(context))
    .addCommand(queryCommand(context))
    .addCommand(queriesCommand(context))
    .addCommand(endpointsCommand(context))
    .addCommand(testCommand(context))
    .addCommand(clientCommand(context))
    .addCommand(sourcesCommand(context))
    .addCommand(tokensCommand(context))
    .addCommand(configCommand(context));
}
