import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { projectsDeleteEventsCommand } from './projectsDeleteEvents.ts';
import { projectsDeletionsCommand } from './projectsDeletions.ts';
import { projectsRetentionCommand } from './projectsRetention.ts';

/** `logmill projects …`: retention and deletion of a project's events. */
export function projectsCommand(context: CliContext): Command {
  return new Command('projects')
    .description('set the retention of a project, and delete its events')
    .addCommand(projectsRetentionCommand(context))
    .addCommand(projectsDeleteEventsCommand(context))
    .addCommand(projectsDeletionsCommand(context));
}
