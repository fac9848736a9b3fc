import { Command } from 'commander';
import type { CliContext } from '../cliContext.ts';
import { endpointsPurgeCommand } from './endpointsPurge.ts';

/** `logmill endpoints …`: what is kept of the endpoints of a running service. */
export function endpointsCommand(context: CliContext): Command {
  return new Command('endpoints')
    .description('work on the endpoints of a running service')
    .addCommand(endpointsPurgeCommand(context));
}
