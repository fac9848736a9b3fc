import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { queriesKillCommand } from './queriesKill.ts';
import { queriesListCommand } from './queriesList.ts';

/** `logmill queries …`: what runs on a service at present. */
export function queriesCommand(context: CliContext): Command {
  return new Command('queries')
    .description('list and end the queries that a running service works on')
    .addCommand(queriesListCommand(context))
    .addCommand(queriesKillCommand(context));
}
