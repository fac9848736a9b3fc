import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { sourcesAddCommand } from './sourcesAdd.ts';
import { sourcesAliasCommand } from './sourcesAlias.ts';
import { sourcesListCommand } from './sourcesList.ts';
import { sourcesRetentionCommand } from './sourcesRetention.ts';

/** `logmill sources …`: what events can be sent to. */
export function sourcesCommand(context: CliContext): Command {
  return new Command('sources')
    .description('list and add the sources that events can be sent to, and settle how long their events are kept')
    .addCommand(sourcesListCommand(context))
    .addCommand(sourcesAddCommand(context))
    .addCommand(sourcesAliasCommand(context))
    .addCommand(sourcesRetentionCommand(context));
}
