import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { queriesKillCommand } from './queriesKill.ts';
import { queriesListCommand } from './queriesList.ts';

/** `logmill queries …`: lists and kills running queries. */
export function queriesCommand(context: CliContext): Command {
  return new Command('queries')
    .description('list and kill the queries that a service is running')
    .addCommand(queriesListCommand(context))
    .addCommand(queriesKillCommand(context));
}
