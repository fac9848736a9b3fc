import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { sourcesAddCommand } from './sourcesAdd.ts';
import { sourcesAliasCommand } from './sourcesAlias.ts';
import { sourcesListCommand } from './sourcesList.ts';
import { sourcesRetentionCommand } from './sourcesRetention.ts';

/** `logmill sources …`: manages the sources of a running service. */
export function sourcesCommand(context: CliContext): Command {
  return new Command('sources')
    .description('list and add sources, and set their aliases and retention')
    .addCommand(sourcesListCommand(context))
    .addCommand(sourcesAddCommand(context))
    .addCommand(sourcesAliasCommand(context))
    .addCommand(sourcesRetentionCommand(context));
}
