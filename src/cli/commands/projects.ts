import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { projectsDeleteEventsCommand } from './projectsDeleteEvents.ts';
import { projectsDeletionsCommand } from './projectsDeletions.ts';
import { projectsRetentionCommand } from './projectsRetention.ts';

/** `logmill projects …`: what is kept of a project. */
export function projectsCommand(context: CliContext): Command {
  return new Command('projects')
    .description('settle how long events of a project are kept, and delete them')
    .addCommand(projectsRetentionCommand(context))
    .addCommand(projectsDeleteEventsCommand(context))
    .addCommand(projectsDeletionsCommand(context));
}
